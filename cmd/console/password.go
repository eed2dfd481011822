package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"countersign/internal/model"
)

// passwordFrom reads the first line of a file, or of standard input for "-".
func (t terminal) passwordFrom(path string) (string, error) {
	in := t.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", model.Errorf(model.Invalid, "password-file", "the password file cannot be read: %w", err)
		}
		defer file.Close()
		in = file
	}
	return firstLine(in)
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// askPassword asks on the terminal, without showing what is typed.
func (t terminal) askPassword() (string, error) {
	file, ok := t.in.(*os.File)
	if !ok {
		return "", noTerminal()
	}
	before, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	if err != nil {
		return "", noTerminal()
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(file.Fd()), unix.TCSETS, &silent); err != nil {
		return "", noTerminal()
	}
	fmt.Fprint(t.err, "Password: ")
	password, err := firstLine(file)
	fmt.Fprintln(t.err)
	return password, errors.Join(err, unix.IoctlSetTermios(int(file.Fd()), unix.TCSETS, before))
}

func noTerminal() error {
	return model.Errorf(model.Invalid, "password", "there is no terminal to ask on; give --password-file")
}
