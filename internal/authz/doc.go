// Package authz decides who may do what: permissions by role, account walls,
// step-up, the tiers of approval, and that a plan is signed by others than
// those who asked for it. Every decision carries its reason and the name of its
// rule. The package is pure: facts come in as arguments, nothing is read.
package authz
