package bankfile

import (
	"fmt"
	"strings"
)

// ibanNote is a sentence on an account number whose check digits are wrong, for
// File.Notes; "" where they are right, or where the number has not the form of an
// IBAN.
func ibanNote(account string) string {
	iban := strings.ToUpper(strings.ReplaceAll(account, " ", ""))
	if !looksLikeIBAN(iban) || mod97(iban[4:]+iban[:4]) == 1 {
		return ""
	}
	return fmt.Sprintf("The check digits of the account %s are wrong: compare it with the account that you mean.", account)
}

// looksLikeIBAN reports the form of ISO 13616: two letters, two digits, and 11 to
// 30 letters and digits, all capitals.
func looksLikeIBAN(s string) bool {
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	for i, c := range []byte(s) {
		letter, digit := 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
		if !letter && !digit || i < 2 && !letter || (i == 2 || i == 3) && !digit {
			return false
		}
	}
	return true
}

// mod97 is the remainder by 97 of digits and capital letters, where A is 10 and Z
// is 35 (ISO 7064, MOD 97-10).
func mod97(s string) (rest int) {
	for _, c := range []byte(s) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest
}
