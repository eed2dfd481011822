package model

import (
	"maps"
	"slices"
)

// Currency is one ISO 4217 currency in which payments can be made.
type Currency struct {
	Code   string // three capital letters
	Digits int    // decimals of the minor unit: USD 2, JPY 0, KWD 3, CLF 4
	Name   string // English, for one unit: "US dollar"
}

// Currencies lists every currency in force that has a minor unit, by code.
func Currencies() []Currency {
	list := make([]Currency, 0, len(currencies))
	for _, code := range slices.Sorted(maps.Keys(currencies)) {
		list = append(list, Currency{Code: code, Digits: currencies[code].digits, Name: currencies[code].one})
	}
	return list
}

// Exponent gives the number of decimals of a currency's minor unit. It is not
// ok for a code that is not in force, and for one that ISO 4217 gives no minor
// unit (gold, drawing rights, test codes): neither can be paid in.
func Exponent(currency string) (digits int, ok bool) {
	entry, ok := currencies[currency]
	return entry.digits, ok
}

// CurrencyName gives the English name of one unit ("US dollar"), and the code
// itself for a currency that is not known.
func CurrencyName(code string) string {
	if entry, ok := currencies[code]; ok {
		return entry.one
	}
	return code
}

// isWithoutMinorUnit reports whether a code is in force but cannot be paid in.
func isWithoutMinorUnit(code string) bool { return slices.Contains(withoutMinorUnit, code) }

// currencyEntry is what is known of a currency: the decimals of its minor unit,
// its English name for one and for many, and the same of its minor unit, which
// are empty where that has no name of its own in use.
type currencyEntry struct {
	digits              int
	one, many           string
	minorOne, minorMany string
}

// withoutMinorUnit are metals, units of account and test codes: in force,
// but with no minor unit.
var withoutMinorUnit = []string{
	"XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX",
}

// currencies are the ISO 4217 codes in force as of 2025 that have a minor unit;
// the names of the main units follow CLDR 48.
var currencies = map[string]currencyEntry{
	"AED": {2, "UAE dirham", "UAE dirhams", "fils", "fils"},
	"AFN": {2, "Afghan Afghani", "Afghan Afghanis", "pul", "puls"},
	"ALL": {2, "Albanian lek", "Albanian lekë", "qindarka", "qindarka"},
	"AMD": {2, "Armenian dram", "Armenian drams", "luma", "luma"},
	"AOA": {2, "Angolan kwanza", "Angolan kwanzas", "cêntimo", "cêntimos"},
	"ARS": {2, "Argentine peso", "Argentine pesos", "centavo", "centavos"},
	"AUD": {2, "Australian dollar", "Australian dollars", "cent", "cents"},
	"AWG": {2, "Aruban florin", "Aruban florins", "cent", "cents"},
	"AZN": {2, "Azerbaijani manat", "Azerbaijani manats", "qapik", "qapiks"},
	"BAM": {2, "Bosnia-Herzegovina convertible mark", "Bosnia-Herzegovina convertible marks", "fening", "fenings"},
	"BBD": {2, "Barbadian dollar", "Barbadian dollars", "cent", "cents"},
	"BDT": {2, "Bangladeshi taka", "Bangladeshi takas", "poisha", "poisha"},
	"BGN": {2, "Bulgarian lev", "Bulgarian leva", "stotinka", "stotinki"},
	"BHD": {3, "Bahraini dinar", "Bahraini dinars", "fils", "fils"},
	"BIF": {0, "Burundian franc", "Burundian francs", "", ""},
	"BMD": {2, "Bermudan dollar", "Bermudan dollars", "cent", "cents"},
	"BND": {2, "Brunei dollar", "Brunei dollars", "sen", "sen"},
	"BOB": {2, "Bolivian boliviano", "Bolivian bolivianos", "centavo", "centavos"},
	"BOV": {2, "Bolivian mvdol", "Bolivian mvdols", "", ""},
	"BRL": {2, "Brazilian real", "Brazilian reals", "centavo", "centavos"},
	"BSD": {2, "Bahamian dollar", "Bahamian dollars", "cent", "cents"},
	"BTN": {2, "Bhutanese ngultrum", "Bhutanese ngultrums", "chhertum", "chhertum"},
	"BWP": {2, "Botswanan pula", "Botswanan pulas", "thebe", "thebe"},
	"BYN": {2, "Belarusian ruble", "Belarusian rubles", "kopeck", "kopecks"},
	"BZD": {2, "Belize dollar", "Belize dollars", "cent", "cents"},
	"CAD": {2, "Canadian dollar", "Canadian dollars", "cent", "cents"},
	"CDF": {2, "Congolese franc", "Congolese francs", "centime", "centimes"},
	"CHE": {2, "WIR euro", "WIR euros", "cent", "cents"},
	"CHF": {2, "Swiss franc", "Swiss francs", "centime", "centimes"},
	"CHW": {2, "WIR franc", "WIR francs", "centime", "centimes"},
	"CLF": {4, "Chilean unit of account (UF)", "Chilean units of account (UF)", "", ""},
	"CLP": {0, "Chilean peso", "Chilean pesos", "", ""},
	"CNY": {2, "Chinese yuan", "Chinese yuan", "fen", "fen"},
	"COP": {2, "Colombian peso", "Colombian pesos", "centavo", "centavos"},
	"COU": {2, "Colombian real value unit", "Colombian real value units", "", ""},
	"CRC": {2, "Costa Rican colón", "Costa Rican colones", "céntimo", "céntimos"},
	"CUP": {2, "Cuban peso", "Cuban pesos", "centavo", "centavos"},
	"CVE": {2, "Cape Verdean escudo", "Cape Verdean escudos", "centavo", "centavos"},
	"CZK": {2, "Czech koruna", "Czech korunas", "haléř", "haléřů"},
	"DJF": {0, "Djiboutian franc", "Djiboutian francs", "", ""},
	"DKK": {2, "Danish krone", "Danish kroner", "øre", "øre"},
	"DOP": {2, "Dominican peso", "Dominican pesos", "centavo", "centavos"},
	"DZD": {2, "Algerian dinar", "Algerian dinars", "centime", "centimes"},
	"EGP": {2, "Egyptian pound", "Egyptian pounds", "piastre", "piastres"},
	"ERN": {2, "Eritrean nakfa", "Eritrean nakfas", "cent", "cents"},
	"ETB": {2, "Ethiopian birr", "Ethiopian birrs", "santim", "santims"},
	"EUR": {2, "euro", "euros", "cent", "cents"},
	"FJD": {2, "Fijian dollar", "Fijian dollars", "cent", "cents"},
	"FKP": {2, "Falkland Islands pound", "Falkland Islands pounds", "penny", "pence"},
	"GBP": {2, "British pound", "British pounds", "penny", "pence"},
	"GEL": {2, "Georgian lari", "Georgian laris", "tetri", "tetri"},
	"GHS": {2, "Ghanaian cedi", "Ghanaian cedis", "pesewa", "pesewas"},
	"GIP": {2, "Gibraltar pound", "Gibraltar pounds", "penny", "pence"},
	"GMD": {2, "Gambian dalasi", "Gambian dalasis", "butut", "bututs"},
	"GNF": {0, "Guinean franc", "Guinean francs", "", ""},
	"GTQ": {2, "Guatemalan quetzal", "Guatemalan quetzals", "centavo", "centavos"},
	"GYD": {2, "Guyanaese dollar", "Guyanaese dollars", "cent", "cents"},
	"HKD": {2, "Hong Kong dollar", "Hong Kong dollars", "cent", "cents"},
	"HNL": {2, "Honduran lempira", "Honduran lempiras", "centavo", "centavos"},
	"HTG": {2, "Haitian gourde", "Haitian gourdes", "centime", "centimes"},
	"HUF": {2, "Hungarian forint", "Hungarian forints", "fillér", "fillérs"},
	"IDR": {2, "Indonesian rupiah", "Indonesian rupiahs", "sen", "sen"},
	"ILS": {2, "Israeli new shekel", "Israeli new shekels", "agora", "agorot"},
	"INR": {2, "Indian rupee", "Indian rupees", "paisa", "paise"},
	"IQD": {3, "Iraqi dinar", "Iraqi dinars", "fils", "fils"},
	"IRR": {2, "Iranian rial", "Iranian rials", "dinar", "dinars"},
	"ISK": {0, "Icelandic króna", "Icelandic krónur", "", ""},
	"JMD": {2, "Jamaican dollar", "Jamaican dollars", "cent", "cents"},
	"JOD": {3, "Jordanian dinar", "Jordanian dinars", "fils", "fils"},
	"JPY": {0, "Japanese yen", "Japanese yen", "", ""},
	"KES": {2, "Kenyan shilling", "Kenyan shillings", "cent", "cents"},
	"KGS": {2, "Kyrgyz som", "Kyrgyz soms", "tyiyn", "tyiyn"},
	"KHR": {2, "Cambodian riel", "Cambodian riels", "sen", "sen"},
	"KMF": {0, "Comorian franc", "Comorian francs", "", ""},
	"KPW": {2, "North Korean won", "North Korean won", "chon", "chon"},
	"KRW": {0, "South Korean won", "South Korean won", "", ""},
	"KWD": {3, "Kuwaiti dinar", "Kuwaiti dinars", "fils", "fils"},
	"KYD": {2, "Cayman Islands dollar", "Cayman Islands dollars", "cent", "cents"},
	"KZT": {2, "Kazakhstani tenge", "Kazakhstani tenges", "tiyn", "tiyn"},
	"LAK": {2, "Laotian kip", "Laotian kips", "att", "att"},
	"LBP": {2, "Lebanese pound", "Lebanese pounds", "piastre", "piastres"},
	"LKR": {2, "Sri Lankan rupee", "Sri Lankan rupees", "cent", "cents"},
	"LRD": {2, "Liberian dollar", "Liberian dollars", "cent", "cents"},
	"LSL": {2, "Lesotho loti", "Lesotho lotis", "sente", "lisente"},
	"LYD": {3, "Libyan dinar", "Libyan dinars", "dirham", "dirhams"},
	"MAD": {2, "Moroccan dirham", "Moroccan dirhams", "centime", "centimes"},
	"MDL": {2, "Moldovan leu", "Moldovan lei", "ban", "bani"},
	"MGA": {2, "Malagasy ariary", "Malagasy ariaries", "", ""},
	"MKD": {2, "Macedonian denar", "Macedonian denari", "deni", "deni"},
	"MMK": {2, "Myanmar kyat", "Myanmar kyats", "pya", "pyas"},
	"MNT": {2, "Mongolian tugrik", "Mongolian tugriks", "möngö", "möngö"},
	"MOP": {2, "Macanese pataca", "Macanese patacas", "avo", "avos"},
	"MRU": {2, "Mauritanian ouguiya", "Mauritanian ouguiyas", "", ""},
	"MUR": {2, "Mauritian rupee", "Mauritian rupees", "cent", "cents"},
	"MVR": {2, "Maldivian rufiyaa", "Maldivian rufiyaas", "laari", "laari"},
	"MWK": {2, "Malawian kwacha", "Malawian kwachas", "tambala", "tambala"},
	"MXN": {2, "Mexican peso", "Mexican pesos", "centavo", "centavos"},
	"MXV": {2, "Mexican investment unit", "Mexican investment units", "", ""},
	"MYR": {2, "Malaysian ringgit", "Malaysian ringgits", "sen", "sen"},
	"MZN": {2, "Mozambican metical", "Mozambican meticals", "centavo", "centavos"},
	"NAD": {2, "Namibian dollar", "Namibian dollars", "cent", "cents"},
	"NGN": {2, "Nigerian naira", "Nigerian nairas", "kobo", "kobo"},
	"NIO": {2, "Nicaraguan córdoba", "Nicaraguan córdobas", "centavo", "centavos"},
	"NOK": {2, "Norwegian krone", "Norwegian kroner", "øre", "øre"},
	"NPR": {2, "Nepalese rupee", "Nepalese rupees", "paisa", "paise"},
	"NZD": {2, "New Zealand dollar", "New Zealand dollars", "cent", "cents"},
	"OMR": {3, "Omani rial", "Omani rials", "baisa", "baisa"},
	"PAB": {2, "Panamanian balboa", "Panamanian balboas", "centésimo", "centésimos"},
	"PEN": {2, "Peruvian sol", "Peruvian soles", "céntimo", "céntimos"},
	"PGK": {2, "Papua New Guinean kina", "Papua New Guinean kina", "toea", "toea"},
	"PHP": {2, "Philippine peso", "Philippine pesos", "sentimo", "sentimos"},
	"PKR": {2, "Pakistani rupee", "Pakistani rupees", "paisa", "paise"},
	"PLN": {2, "Polish zloty", "Polish zlotys", "grosz", "groszy"},
	"PYG": {0, "Paraguayan guarani", "Paraguayan guaranis", "", ""},
	"QAR": {2, "Qatari riyal", "Qatari riyals", "dirham", "dirhams"},
	"RON": {2, "Romanian leu", "Romanian lei", "ban", "bani"},
	"RSD": {2, "Serbian dinar", "Serbian dinars", "para", "para"},
	"RUB": {2, "Russian ruble", "Russian rubles", "kopeck", "kopecks"},
	"RWF": {0, "Rwandan franc", "Rwandan francs", "", ""},
	"SAR": {2, "Saudi riyal", "Saudi riyals", "halala", "halalas"},
	"SBD": {2, "Solomon Islands dollar", "Solomon Islands dollars", "cent", "cents"},
	"SCR": {2, "Seychellois rupee", "Seychellois rupees", "cent", "cents"},
	"SDG": {2, "Sudanese pound", "Sudanese pounds", "piastre", "piastres"},
	"SEK": {2, "Swedish krona", "Swedish kronor", "öre", "öre"},
	"SGD": {2, "Singapore dollar", "Singapore dollars", "cent", "cents"},
	"SHP": {2, "St. Helena pound", "St. Helena pounds", "penny", "pence"},
	"SLE": {2, "Sierra Leonean leone", "Sierra Leonean leones", "cent", "cents"},
	"SOS": {2, "Somali shilling", "Somali shillings", "cent", "cents"},
	"SRD": {2, "Surinamese dollar", "Surinamese dollars", "cent", "cents"},
	"SSP": {2, "South Sudanese pound", "South Sudanese pounds", "piaster", "piasters"},
	"STN": {2, "São Tomé & Príncipe dobra", "São Tomé & Príncipe dobras", "cêntimo", "cêntimos"},
	"SVC": {2, "Salvadoran colón", "Salvadoran colones", "centavo", "centavos"},
	"SYP": {2, "Syrian pound", "Syrian pounds", "piastre", "piastres"},
	"SZL": {2, "Swazi lilangeni", "Swazi emalangeni", "cent", "cents"},
	"THB": {2, "Thai baht", "Thai baht", "satang", "satang"},
	"TJS": {2, "Tajikistani somoni", "Tajikistani somonis", "diram", "dirams"},
	"TMT": {2, "Turkmenistani manat", "Turkmenistani manat", "tenge", "tenge"},
	"TND": {3, "Tunisian dinar", "Tunisian dinars", "millime", "millimes"},
	"TOP": {2, "Tongan paʻanga", "Tongan paʻanga", "seniti", "seniti"},
	"TRY": {2, "Turkish lira", "Turkish lira", "kuruş", "kuruş"},
	"TTD": {2, "Trinidad & Tobago dollar", "Trinidad & Tobago dollars", "cent", "cents"},
	"TWD": {2, "New Taiwan dollar", "New Taiwan dollars", "cent", "cents"},
	"TZS": {2, "Tanzanian shilling", "Tanzanian shillings", "cent", "cents"},
	"UAH": {2, "Ukrainian hryvnia", "Ukrainian hryvnias", "kopiyka", "kopiykas"},
	"UGX": {0, "Ugandan shilling", "Ugandan shillings", "", ""},
	"USD": {2, "US dollar", "US dollars", "cent", "cents"},
	"USN": {2, "US dollar (next day)", "US dollars (next day)", "cent", "cents"},
	"UYI": {0, "Uruguayan indexed peso", "Uruguayan indexed pesos", "", ""},
	"UYU": {2, "Uruguayan peso", "Uruguayan pesos", "centésimo", "centésimos"},
	"UYW": {4, "Uruguayan nominal wage index unit", "Uruguayan nominal wage index units", "", ""},
	"UZS": {2, "Uzbekistani som", "Uzbekistani som", "tiyin", "tiyin"},
	"VED": {2, "Venezuelan digital bolívar", "Venezuelan digital bolívars", "céntimo", "céntimos"},
	"VES": {2, "Venezuelan bolívar", "Venezuelan bolívars", "céntimo", "céntimos"},
	"VND": {0, "Vietnamese dong", "Vietnamese dong", "", ""},
	"VUV": {0, "Vanuatu vatu", "Vanuatu vatus", "", ""},
	"WST": {2, "Samoan tala", "Samoan tala", "sene", "sene"},
	"XAF": {0, "Central African CFA franc", "Central African CFA francs", "", ""},
	"XCD": {2, "East Caribbean dollar", "East Caribbean dollars", "cent", "cents"},
	"XCG": {2, "Caribbean guilder", "Caribbean guilders", "cent", "cents"},
	"XOF": {0, "West African CFA franc", "West African CFA francs", "", ""},
	"XPF": {0, "CFP franc", "CFP francs", "", ""},
	"YER": {2, "Yemeni rial", "Yemeni rials", "fils", "fils"},
	"ZAR": {2, "South African rand", "South African rand", "cent", "cents"},
	"ZMW": {2, "Zambian kwacha", "Zambian kwachas", "ngwee", "ngwee"},
	"ZWG": {2, "Zimbabwean gold", "Zimbabwean gold", "cent", "cents"},
}
