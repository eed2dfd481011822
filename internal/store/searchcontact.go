package store

import (
	"strings"

	"countersign/internal/model"
)

// payeeContact is where a payee's money or mail goes: the account at the provider
// as it is, an address in small letters.
type payeeContact struct {
	Account string `db:"account"`
	Contact string `db:"contact"`
	Intent  string `db:"intent_id"`
}

// contactKey is how a contact is kept and looked up.
func contactKey(contact string) string {
	if strings.Contains(contact, "@") {
		return strings.ToLower(contact)
	}
	return contact
}

// payeeContacts are the rows under which an intent is found by its contacts.
func payeeContacts(c *model.Case) (rows []payeeContact) {
	seen := map[string]bool{"": true}
	for _, contact := range c.Contacts {
		if key := contactKey(contact); !seen[key] {
			seen[key] = true
			rows = append(rows, payeeContact{c.Account, key, c.ID})
		}
	}
	return rows
}

// byContact finds by the whole of a contact.
func byContact(text string, accounts []string) lookup {
	return lookup{"SELECT intent_id AS id FROM payee_contacts WHERE account IN (" + marks(len(accounts)) + ") AND contact = ?",
		append(anys(accounts), contactKey(text))}
}
