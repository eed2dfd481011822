package main

import (
	"encoding/json"
	"io"
)

// readyLine is what a program that started us with --json waits for.
type readyLine struct {
	Address string        `json:"address"`
	Sandbox string        `json:"sandbox,omitempty"`
	People  []readyPerson `json:"people,omitempty"`
	APIKey  string        `json:"api_key,omitempty"`

	password string // of the sample people; for people to read, not for programs
}

// readyPerson is one sample person, with what lets them in.
type readyPerson struct {
	Email     string `json:"email"`
	Role      string `json:"role"`
	SigninURL string `json:"signin_url"`
	APIKey    string `json:"api_key"`
	name      string
	account   string
}

// printJSON writes one line.
func printJSON(w io.Writer, value any) error { return json.NewEncoder(w).Encode(value) }
