// Package actions holds everything that people and programs may ask for: posting
// an intent, the five actions of an operator with their verdicts and plans, and
// the approval of what needs a second person. What it decides it writes down;
// the engine carries it out. One file per action.
package actions
