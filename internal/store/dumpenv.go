package store

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// libpqNames are the settings of an address that the C library, which pg_dump
// connects with, reads from the environment too. Others are the server's.
var libpqNames = map[string]string{
	"application_name":     "PGAPPNAME",
	"channel_binding":      "PGCHANNELBINDING",
	"connect_timeout":      "PGCONNECT_TIMEOUT",
	"krbsrvname":           "PGKRBSRVNAME",
	"options":              "PGOPTIONS",
	"passfile":             "PGPASSFILE",
	"require_auth":         "PGREQUIREAUTH",
	"service":              "PGSERVICE",
	"servicefile":          "PGSERVICEFILE",
	"sslcert":              "PGSSLCERT",
	"sslcertmode":          "PGSSLCERTMODE",
	"sslkey":               "PGSSLKEY",
	"sslmode":              "PGSSLMODE",
	"sslnegotiation":       "PGSSLNEGOTIATION",
	"sslrootcert":          "PGSSLROOTCERT",
	"sslsni":               "PGSSLSNI",
	"target_session_attrs": "PGTARGETSESSIONATTRS",
}

// connectEnv is the environment in which a program of PostgreSQL connects to
// where config does, and speaks English.
func connectEnv(inherited []string, config *pgx.ConnConfig) (env []string) {
	for _, entry := range inherited {
		if !strings.HasPrefix(entry, "PGHOSTADDR=") { // pgx does not know it
			env = append(env, entry)
		}
	}
	if address, err := url.Parse(config.ConnString()); err == nil {
		for key, values := range address.Query() {
			if name := libpqNames[key]; name != "" {
				env = append(env, name+"="+values[0])
			}
		}
	}
	env = append(env, "LC_ALL=C", "PGHOST="+config.Host, "PGPORT="+strconv.Itoa(int(config.Port)), "PGUSER="+config.User, "PGDATABASE="+config.Database)
	if config.Password != "" {
		env = append(env, "PGPASSWORD="+config.Password)
	}
	return env
}
