package templates

// GuideView is the demo's tour.
type GuideView struct {
	Page    Page
	Intro   []Text
	Stories []StoryRow
	People  []Fact
}

// StoryRow is one labelled intent.
type StoryRow struct {
	Title string
	Href  string // "" while it is being made
	Text  Text
	State State
	Try   Text // what to do with it
}
