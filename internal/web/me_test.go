package web

import (
	"slices"
	"testing"
	"time"
)

func TestSuggestedZonesExist(t *testing.T) {
	for _, zone := range zones {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Errorf("%s is suggested and is no zone: %v", zone, err)
		}
	}
	if !slices.IsSorted(zones[1:]) || len(slices.Compact(slices.Clone(zones))) != len(zones) {
		t.Error("the suggestions are out of order")
	}
}

func TestMeShowsTheTimeOfItsZone(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	olga.post("/me/settings", "zone", "Asia/Kathmandu")
	olga.wants(olga.get("/me"), 200, "27 Nov 2026 14:45:00 +05:45", "Asia/Kathmandu")
	olga.post("/me/settings", "zone", " asia/kolkata")
	olga.wants(olga.get("/me"), 200, "Asia/Kolkata", "+05:30")
	olga.post("/me/settings", "zone", "america/argentina/ushuaia") // which is not suggested
	olga.wants(olga.get("/me"), 200, "America/Argentina/Ushuaia", "-03:00")
	olga.wants(olga.post("/me/settings", "zone", "Mars/Olympus"), 422, "Nothing was saved", "This zone is not known; one is Europe/Berlin, another UTC")
	olga.wants(olga.post("/me/settings", "zone", "Berlin"), 422, "This zone is not known; near it: Europe/Berlin")
}
