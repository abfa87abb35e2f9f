// Checks a proof about a file. Written from docs/formats.md, "The proof about a file".
//
//	go run . PROOF FILE KEYS              one document, the file, and what the server answered about its attestation keys
//	go run . ../../vectors/openings.json  whether this reader agrees with the vectors
//
// Nothing is asked on the network. Of what the server alone has signed it leaves the forms to the server. It reads no
// statements of a server that has moved: a receipt in a former name fails at the step server.
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"filippo.io/mldsa"
)

const (
	maxProofBytes = 192 * 1024
	maxKeysBytes  = 8 << 20
	maxDepth      = 16
	segmentBytes  = 1_048_560
	tagBytes      = 16
)

// A refusal is the first step that fails.
type refusal string

func (step refusal) Error() string { return string(step) }

func need(step refusal, holds bool) {
	if !holds {
		panic(step)
	}
}

type proof struct {
	// Those of the document, of `file` and of `opening`, by their exact names: into a struct, `NAME` is read for `name`.
	members, file, opening  map[string]json.RawMessage
	receipt, secret, prefix []byte
}

type published struct {
	ServerID string
	Keys     []key
}

type key struct {
	id       string
	public   []byte
	from, to time.Time
}

// Strict: padded, without bits that are not used, without line breaks.
func decoded(text string, least, most int) []byte {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	need("form", err == nil && !strings.ContainsAny(text, "\r\n") && least <= len(raw) && len(raw) <= most)
	return raw
}

// Each member once, at every depth, and no more than 16 of these.
func requireOnce(decoder *json.Decoder, depth int) {
	token, err := decoder.Token()
	need("form", err == nil)
	delimiter, isDelimiter := token.(json.Delim)
	if !isDelimiter {
		return
	}
	need("form", depth < maxDepth)
	seen := map[string]bool{}
	for decoder.More() {
		if delimiter == '{' {
			name, err := decoder.Token()
			text, isText := name.(string)
			need("form", err == nil && isText && !seen[text])
			seen[text] = true
		}
		requireOnce(decoder, depth+1)
	}
	_, err = decoder.Token()
	need("form", err == nil)
}

var escapes = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// The package reads half a surrogate pair as U+FFFD.
func requirePairs(document []byte) {
	end := -1 // of the first half of a pair
	for _, at := range escapes.FindAllIndex(document, -1) {
		code, err := strconv.ParseUint(string(document[at[0]+2:at[1]]), 16, 16)
		isFirst := err == nil && at[1]-at[0] == 6 && code&0xfc00 == 0xd800
		isSecond := err == nil && at[1]-at[0] == 6 && code&0xfc00 == 0xdc00
		need("form", isSecond == (end == at[0]) && (end == -1 || isSecond))
		end = -1
		if isFirst {
			end = at[1]
		}
	}
	need("form", end == -1)
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	var read map[string]json.RawMessage
	need("form", json.Unmarshal(raw, &read) == nil && read != nil)
	return read
}

func text(raw json.RawMessage) string {
	var read *string
	need("form", json.Unmarshal(raw, &read) == nil && read != nil)
	return *read
}

// As most languages read it: 30.0 is 30.
func count(raw json.RawMessage, least int64) int64 {
	var read *float64
	need("form", json.Unmarshal(raw, &read) == nil && read != nil)
	need("form", *read == math.Trunc(*read) && *read >= float64(least) && *read < 1<<53)
	return int64(*read)
}

const hash = "^[0-9a-f]{64}$"

// The texts beside the receipt that repeat what it has signed.
var repeated = map[string]*regexp.Regexp{
	"server_id":          regexp.MustCompile("^[^\\x00-\\x1f\\x7f-\\x{9f}]*$"),
	"server_key_id":      regexp.MustCompile(hash),
	"ciphertext_hash":    regexp.MustCompile(hash),
	"received_at":        instants,
	"upload_id":          regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"),
	"blob_role":          regexp.MustCompile("^(original|derivative|metadata|provenance)$"),
	"prior_receipt_hash": regexp.MustCompile(hash),
	"envelope_hash":      regexp.MustCompile(hash),
}

// These two may be absent.
func isAbsent(name string, raw json.RawMessage) bool {
	return (name == "prior_receipt_hash" || name == "envelope_hash") && (raw == nil || string(raw) == "null")
}

var instants = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:)(\d\d)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)

// RFC 3339, to the millisecond, a leap second as the one before it.
func instant(text string) (time.Time, error) {
	parts := instants.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, errors.New("not RFC 3339")
	}
	if parts[3] == "60" {
		parts[3] = "59"
	}
	if len(parts[4]) > 4 {
		parts[4] = parts[4][:4]
	}
	at, err := time.Parse(time.RFC3339, parts[1]+"T"+parts[2]+parts[3]+parts[4]+strings.ToUpper(parts[5]))
	if year := at.UTC().Year(); err == nil && (year < 0 || year > 9999) {
		err = errors.New("no year of RFC 3339")
	}
	return at, err
}

// Step 1.
func readProof(document []byte) proof {
	need("form", len(document) <= maxProofBytes)
	document = bytes.TrimPrefix(document, []byte("\ufeff"))
	need("form", utf8.Valid(document) && json.Valid(document))
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	requireOnce(decoder, 0)
	requirePairs(document)
	read := proof{members: members(document)}
	read.file = members(read.members["file"])
	read.opening = members(read.file["opening"])
	need("form", len(read.opening) == 5)
	need("form", text(read.opening["version"]) == "service/opening/1" && text(read.opening["purpose"]) == "original")
	need("form", regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(text(read.opening["context"])))
	read.secret = decoded(text(read.opening["secret"]), 64, 64)
	read.prefix = decoded(text(read.opening["prefix"]), 1090, 66722)
	read.receipt = decoded(text(read.members["receipt_cbor"]), 1, 16384)
	for name, form := range repeated {
		need("form", isAbsent(name, read.members[name]) || form.MatchString(text(read.members[name])))
	}
	_, err := instant(text(read.members["received_at"]))
	need("form", err == nil)
	count(read.members["receipt_seq"], 1)
	count(read.members["size"], 1)
	count(read.file["size"], 0)
	text(read.file["name"])
	if folder, isThere := read.file["folder"]; isThere {
		text(folder)
	}
	return read
}

// The list of a server, by the rules for it. It has to be from elsewhere than the proof.
func readKeys(document []byte) (published, error) {
	type listed struct {
		ID        string  `json:"key_id"`
		Algorithm string  `json:"algorithm"`
		Public    []byte  `json:"public"`
		From      string  `json:"active_from"`
		To        *string `json:"active_to"`
	}
	var list struct {
		ServerID *string          `json:"server_id"`
		Keys     []listed         `json:"keys"`
		Receipt  *json.RawMessage `json:"receipt_cbor"`
	}
	err := json.Unmarshal(document, &list)
	if err != nil || list.ServerID == nil {
		return published{}, errors.New("this is no list of keys, as a server answers about its attestation keys")
	}
	if list.Receipt != nil {
		return published{}, errors.New("keys that come with a receipt do not show whose they are")
	}
	read := published{ServerID: *list.ServerID}
	var before time.Time
	for index, one := range list.Keys {
		id := sha256.Sum256(one.Public)
		from, err := instant(one.From)
		isLast := index == len(list.Keys)-1
		if err != nil || hex.EncodeToString(id[:]) != one.ID || len(one.Public) != 1984 ||
			one.Algorithm != "hybrid-ed25519-mldsa65" || isLast != (one.To == nil) || from.Before(before) {
			return published{}, errors.New("a key of the list has another id, kind or time than it may have")
		}
		next := key{id: one.ID, public: one.Public, from: from}
		if one.To != nil {
			if next.to, err = instant(*one.To); err != nil || next.to.Before(from) {
				return published{}, errors.New("a key of the list ends before it begins")
			}
			before = next.to
		}
		read.Keys = append(read.Keys, next)
	}
	return read, nil
}

var errCBOR = errors.New("not CBOR of these formats")

// The first value: an integer, a text, bytes, true, false or a float, in its only form; and what follows.
func readValue(content []byte) (any, []byte, error) {
	if len(content) == 0 {
		return nil, nil, errCBOR
	}
	kind, short := content[0]>>5, content[0]&31
	width := 0
	if short >= 24 {
		width = 1 << (short - 24)
	}
	if short > 27 || len(content) < 1+width {
		return nil, nil, errCBOR
	}
	number := uint64(short)
	if width > 0 {
		number = binary.BigEndian.Uint64(append(make([]byte, 8-width), content[1:1+width]...))
	}
	rest := content[1+width:]
	isShortest := width == 0 || number >= []uint64{0, 24, 256, 0, 1 << 16, 0, 0, 0, 1 << 32}[width]
	switch {
	case kind == 7 && width == 0 && (short == 20 || short == 21):
		return short == 21, rest, nil
	case kind == 7 && width >= 2:
		value, err := readFloat(width, number)
		return value, rest, err
	case !isShortest || kind > 3 || (kind < 2 && number > 1<<53-1-uint64(kind)):
		return nil, nil, errCBOR
	case kind == 0:
		return int64(number), rest, nil
	case kind == 1:
		return -1 - int64(number), rest, nil
	case number > uint64(len(rest)):
		return nil, nil, errCBOR
	case kind == 2:
		return rest[:number], rest[number:], nil
	case !utf8.Valid(rest[:number]):
		return nil, nil, errCBOR
	}
	return string(rest[:number]), rest[number:], nil
}

// Finite, no integer, and in the shortest of the three forms that have its value.
func readFloat(width int, bits uint64) (float64, error) {
	value := math.Float64frombits(bits)
	switch width {
	case 2:
		sign, exponent, fraction := bits>>15, int(bits>>10&31), float64(bits&1023)
		value = math.Ldexp(1024+fraction, exponent-25)
		if exponent == 0 {
			value = math.Ldexp(fraction, -24)
		}
		if exponent == 31 {
			value = math.Inf(1)
		}
		if sign == 1 {
			value = -value
		}
	case 4:
		value = float64(math.Float32frombits(uint32(bits)))
	}
	isInteger := value == math.Trunc(value) && math.Abs(value) < 1<<53
	if math.IsInf(value, 0) || math.IsNaN(value) || isInteger || width > shortestOf(value) {
		return 0, errCBOR
	}
	return value, nil
}

func shortestOf(value float64) int {
	if float64(float32(value)) != value {
		return 8
	}
	// 11 bits that count, from 2^-24 to 65504.
	fraction, exponent := math.Frexp(value)
	isHalf := math.Abs(value) <= 65504 && math.Ldexp(fraction, 11) == math.Trunc(math.Ldexp(fraction, 11)) &&
		(exponent > -14 || math.Ldexp(value, 24) == math.Trunc(math.Ldexp(value, 24)))
	if isHalf {
		return 2
	}
	return 4
}

// Its keys are texts, in the order of their bytes with the length before them. There are at most 255 of them.
func readMap(content []byte) (map[string]any, []byte, error) {
	if len(content) < 2 || content[0]>>5 != 5 || content[0]&31 > 24 {
		return nil, nil, errCBOR
	}
	number, rest := int(content[0]&31), content[1:]
	if number == 24 {
		number, rest = int(content[1]), content[2:]
		if number < 24 {
			return nil, nil, errCBOR
		}
	}
	fields := map[string]any{}
	var before []byte
	for range number {
		name, next, err := readValue(rest)
		text, isText := name.(string)
		if err != nil || !isText {
			return nil, nil, errCBOR
		}
		own := rest[:len(rest)-len(next)]
		if bytes.Compare(before, own) >= 0 {
			return nil, nil, errCBOR
		}
		before = own
		if fields[text], rest, err = readValue(next); err != nil {
			return nil, nil, err
		}
	}
	return fields, rest, nil
}

// Steps 2 to 5. The keys are from elsewhere than the proof.
func checkSigned(given proof, from published) map[string]any {
	keyID := text(given.members["server_key_id"])
	index := slices.IndexFunc(from.Keys, func(one key) bool { return one.id == keyID })
	need("key", index >= 0)
	key := from.Keys[index]
	hash, _ := hex.DecodeString(keyID)

	// Only payload and signatures vary in 98([header, {}, payload, [[sign header, {}, signature], …]]).
	header := "\x58\x24\xa1\x03\x78\x20application/service-receipt+cbor"
	first := "\x58\x26\xa2\x01\x32\x04\x58\x20" + string(hash)
	second := "\x58\x27\xa2\x01\x38\x30\x04\x58\x20" + string(hash)
	start, between, last := "\xd8\x62\x84"+header+"\xa0\x59", "\x82\x83"+first+"\xa0\x58\x40", "\x83"+second+"\xa0\x59\x0c\xed"
	cbor := string(given.receipt)
	tail := len(between) + 64 + len(last) + 3309
	need("receipt", len(cbor) > len(start)+2+tail && strings.HasPrefix(cbor, start))
	payload, signatures := cbor[len(start):len(cbor)-tail], cbor[len(cbor)-tail:]
	need("receipt", strings.HasPrefix(signatures, between) && strings.HasPrefix(signatures[len(between)+64:], last))
	need("receipt", int(binary.BigEndian.Uint16([]byte(payload))) == len(payload)-2)
	toBeSigned := func(signHeader string) []byte {
		return []byte("\x85\x69Signature" + header + signHeader + "\x40\x59" + payload)
	}
	need("receipt", ed25519.Verify(key.public[:32], toBeSigned(first), []byte(signatures[len(between):len(between)+64])))
	public, err := mldsa.NewPublicKey(mldsa.MLDSA65(), key.public[32:])
	need("receipt", err == nil && mldsa.Verify(public, toBeSigned(second), []byte(signatures[tail-3309:]), nil) == nil)

	fields, rest, err := readMap([]byte(payload[2:]))
	need("receipt", err == nil && len(rest) == 0 && fields["version"] == "service/receipt/1" && fields["blob_role"] == "original")
	receivedAt, _ := fields["received_at"].(string)
	at, err := instant(receivedAt)
	size, isSize := fields["size"].(int64)
	blobHash, isHash := fields["ciphertext_hash"].([]byte)
	need("receipt", err == nil && isSize && size > 0 && isHash && len(blobHash) == 32)
	need("key", !at.Before(key.from) && (key.to.IsZero() || !at.After(key.to)))
	need("server", fields["server_id"] == from.ServerID)
	need("members", fields["receipt_seq"] == count(given.members["receipt_seq"], 1))
	need("members", size == count(given.members["size"], 1))
	for name := range repeated {
		signed, isSigned := fields[name]
		if bytes, isBytes := signed.([]byte); isBytes {
			signed = hex.EncodeToString(bytes)
		}
		isSame := isSigned == !isAbsent(name, given.members[name]) && (!isSigned || signed == text(given.members[name]))
		need("members", isSame || name == "server_key_id")
	}
	return fields
}

func readHeader(padded []byte) (map[string]any, error) {
	header, rest, err := readMap(padded)
	if err != nil || len(bytes.Trim(rest, "\x00")) > 0 {
		return nil, errCBOR
	}
	if size, isSize := header["size"].(int64); !isSize || size < 0 {
		return nil, errCBOR
	}
	for name, value := range header {
		text, _ := value.(string)
		_, isBytes := value.([]byte)
		if isBytes || strings.HasPrefix(text, "\ufeff") || strings.HasPrefix(name, "\ufeff") {
			return nil, errCBOR
		}
	}
	for name, most := range map[string]int{"name": 8192, "type": 255, "modified_at": 64, "note": 49152, "sender": 1024} {
		if value, isThere := header[name]; isThere {
			if text, isText := value.(string); !isText || len(text) > most {
				return nil, errCBOR
			}
		}
	}
	if at, isThere := header["modified_at"].(string); isThere {
		if _, err := instant(at); err != nil {
			return nil, errCBOR
		}
	}
	return header, nil
}

type sealer func(counter uint32, isLast bool, plaintext []byte) []byte

// Steps 6 and 7.
func openHeader(given proof) (map[string]any, sealer) {
	end := map[byte]int{1: 50, 2: 1170}[given.prefix[0]]
	need("secret", end > 0 && len(given.prefix) > end)
	blocks := int(given.prefix[end-1])
	need("secret", 1 <= blocks && blocks <= 64 && len(given.prefix) == end+blocks*1024+tagBytes)
	context, err := hex.DecodeString(text(given.opening["context"]))
	need("form", err == nil)
	info := "service/stream/1\x00original\x00" + string(context)
	stream, err := hkdf.Expand(sha512.New, given.secret, info, 71)
	need("secret", err == nil && subtle.ConstantTimeCompare(stream[39:], given.prefix[end-33:end-1]) == 1)
	block, err := aes.NewCipher(stream[:32])
	need("secret", err == nil)
	gcm, err := cipher.NewGCM(block)
	need("secret", err == nil)
	nonce := func(counter uint32, isLast bool) []byte {
		last := byte(0)
		if isLast {
			last = 1
		}
		return append(binary.BigEndian.AppendUint32(bytes.Clone(stream[32:39]), counter), last)
	}
	padded, err := gcm.Open(nil, nonce(0, false), given.prefix[end:], given.prefix[:end])
	need("header", err == nil)
	header, err := readHeader(padded)
	need("header", err == nil)
	return header, func(counter uint32, isLast bool, plaintext []byte) []byte {
		return gcm.Seal(nil, nonce(counter, isLast), plaintext, nil)
	}
}

// The signed fields and the header, if all nine steps hold; otherwise the step that fails.
func check(document []byte, file io.Reader, size int64, from published) (fields, header map[string]any, err error) {
	defer func() {
		switch found := recover().(type) {
		case nil:
		case refusal:
			fields, header, err = nil, nil, found
		default:
			panic(found)
		}
	}()
	given := readProof(document)
	signed := checkSigned(given, from)
	words, seal := openHeader(given)
	name, _ := words["name"].(string)
	label := text(given.file["name"])
	if folder, isThere := given.file["folder"]; isThere && text(folder) != "" {
		label = text(folder) + "/" + label
	}
	need("name", name == label)
	rest := signed["size"].(int64) - int64(len(given.prefix))
	segments := (rest + segmentBytes + tagBytes - 1) / (segmentBytes + tagBytes)
	padded := rest - segments*tagBytes
	need("length", padded >= 0 && segments <= math.MaxUint32 && segments == max(1, (padded+segmentBytes-1)/segmentBytes))
	need("length", count(given.file["size"], 0) == words["size"] && size == words["size"] && size <= padded)
	hash := sha256.New()
	hash.Write(given.prefix)
	buffer := make([]byte, segmentBytes)
	for counter := int64(1); counter <= segments; counter++ {
		plaintext := buffer[:min(segmentBytes, padded-(counter-1)*segmentBytes)]
		read, err := io.ReadFull(file, plaintext)
		need("length", err == nil || err == io.EOF || err == io.ErrUnexpectedEOF)
		clear(plaintext[read:])
		hash.Write(seal(uint32(counter), counter == segments, plaintext))
	}
	need("bytes", bytes.Equal(hash.Sum(nil), signed["ciphertext_hash"].([]byte)))
	return signed, words, nil
}

type vectors struct {
	Published      json.RawMessage `json:"published"`
	Valid, Invalid []struct {
		Name    string          `json:"name"`
		Step    string          `json:"step"`
		Size    int             `json:"size"`
		Content *string         `json:"content"`
		Text    *string         `json:"text"`
		Proof   json.RawMessage `json:"proof"`
	}
}

func checkVectors(text []byte) error {
	var all vectors
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if len(all.Valid) == 0 || len(all.Invalid) == 0 {
		return errors.New("an empty list shows nothing")
	}
	from, err := readKeys(all.Published)
	if err != nil {
		return err
	}
	for _, vector := range append(all.Valid, all.Invalid...) {
		content := make([]byte, vector.Size)
		for at := range content {
			content[at] = byte(at % 251)
		}
		if vector.Content != nil {
			content, _ = hex.DecodeString(*vector.Content)
		}
		document := []byte(vector.Proof)
		if vector.Text != nil {
			document = []byte(*vector.Text)
		}
		_, _, err := check(document, bytes.NewReader(content), int64(len(content)), from)
		step := ""
		if err != nil {
			step = err.Error()
		}
		if step != vector.Step {
			return fmt.Errorf("%s: at the step %q", vector.Name, step)
		}
	}
	fmt.Printf("%d valid and %d invalid proofs agree.\n", len(all.Valid), len(all.Invalid))
	return nil
}

func beginningOf(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

func checkFile(proofPath, path, keysPath string) error {
	document, err := beginningOf(proofPath, maxProofBytes+1)
	if err != nil {
		return err
	}
	keys, err := beginningOf(keysPath, maxKeysBytes)
	if err != nil {
		return err
	}
	from, err := readKeys(keys)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	facts, err := file.Stat()
	if err != nil {
		return err
	}
	fields, header, err := check(document, file, facts.Size(), from)
	if err != nil {
		return fmt.Errorf("not shown to hold, at the step %w", err)
	}
	fmt.Printf("%q %q\n", fields["server_id"], fields["received_at"])
	for name, value := range header {
		// %#v quotes texts, so that one of the sender moves no cursor.
		fmt.Printf("%q: %#v\n", name, value)
	}
	fmt.Println("holds")
	return nil
}

func main() {
	var err error
	switch len(os.Args) {
	case 2:
		var text []byte
		if text, err = os.ReadFile(os.Args[1]); err == nil {
			err = checkVectors(text)
		}
	case 4:
		err = checkFile(os.Args[1], os.Args[2], os.Args[3])
	default:
		err = errors.New("check_proof PROOF FILE KEYS, or check_proof vectors/openings.json")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
