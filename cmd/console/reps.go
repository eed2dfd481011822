package main

import (
	"fmt"
	"strings"
)

// rep is somebody whom the sample business pays.
type rep struct {
	number   int // of the reference, "rep-301"
	name     string
	currency string
	zone     string
	mail     bool // has an address for remittance advices
}

func (r rep) reference() string   { return fmt.Sprintf("rep-%d", r.number) }
func (r rep) destination() string { return fmt.Sprintf("acct_rep_%d", r.number) }

// address is where the rep's mail goes, "" for those who want none.
func (r rep) address() string {
	if !r.mail {
		return ""
	}
	return r.reference() + "@example.com"
}

// firstRep is the number of the first rep of the history; stories and routine
// have theirs below.
const firstRep = 301

// Paid every week come first, in four currencies; the others are paid by month.
var repNames = []struct{ currency, zone, names string }{
	{"USD", "America/New_York", "Marguerite Delacroix|Дмитро Коваленко|Nguyễn Thị Minh Khai|João Conceição|Adébáyọ̀ Ọlátúnjí|김민서|Ana Lucía Peña Ñúñez|Oluwaseun Adeyemi|" +
		"<script>alert(1)</script>|Mary-Kate O’Sullivan|Robert '); DROP TABLE reps;-- Tables|Thanh Nguyễn"},
	{"EUR", "Europe/Berlin", "Őrsi Zsófia|Ελένη Δημητρίου|Jürgen Groß|Małgorzata Wiśniewska|Iñaki Etxeberria|Çağla Şahin|Þórunn Ægisdóttir|Ивайло Петров|Renée d’Aubigné|Õie Tõnisson"},
	{"GBP", "Europe/London", "Siân ap Rhys|Aoife Nic Ghiolla|=1+1|Chukwuemeka Obi|রফিকুল ইসলাম"},
	{"CHF", "Europe/Zurich", "Flurin Caduff|Désirée Lüthi|Božena Němcová|Ноемі Бернаскони"},
	{"JPY", "Asia/Tokyo", "山本 健太|佐々木 希美|髙橋 さくら|ロドリゲス・マリア"},
	{"KWD", "Asia/Kuwait", "عبد الرحمن الصباح|نورة المطيري|خالد بن سعود الأحمد|דוד לוי"},
	{"CLF", "America/Santiago", "Sofía Ñanculef Huaiquimil|Raúl Errázuriz|Constanza Pérez Ü"},
	{"USD", "Asia/Bangkok", "ณัฐวุฒิ แสงสุวรรณ|अनुराधा देशपांडे|王小明|שרה כהן|ஸ்ரீநிவாசன் ராமானுஜன்|ქეთევან ბერიძე|" +
		"Wolfeschlegelsteinhausenbergerdorff Hubert Blaine Maximilian Konstantin Aurelius zu Hohenlohe-Langenburg-Schillingsfürst und von der Tann, Freiherr auf Ober- und Niederrathsamhausen"},
}

// weekly is how many of the reps are paid every week.
const weekly = 31

// reps are all of them, in the order of their numbers.
func reps() (list []rep) {
	for _, group := range repNames {
		for name := range strings.SplitSeq(group.names, "|") {
			n := len(list)
			list = append(list, rep{firstRep + n, name, group.currency, group.zone, n%3 != 2})
		}
	}
	return list
}
