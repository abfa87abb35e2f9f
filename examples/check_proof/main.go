// Checks a proof about a file. Written from docs/formats.md, "The proof about a file".
//
//	go run . PROOF FILE KEYS                one document, the file, and what the server answered about its attestation keys
//	go run . ../../vectors/openings.json    whether this reader agrees with the vectors
//
// Nothing is asked on the network. Of the form of a receipt it compares what the server did not sign; the form of each
// signed field is left to the server.
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
	"strings"
	"time"
	"unicode/utf8"

	"filippo.io/mldsa"
)

const (
	maxProofBytes = 192 * 1024
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

type opening struct {
	Version string `json:"version"`
	Purpose string `json:"purpose"`
	Context string `json:"context"`
	Secret  string `json:"secret"`
	Prefix  string `json:"prefix"`
}

type proof struct {
	members map[string]json.RawMessage
	file    struct {
		Name   string  `json:"name"`
		Folder string  `json:"folder"`
		Size   *int64  `json:"size"`
		Open   opening `json:"opening"`
	}
	receipt, secret, prefix []byte
}

type published struct {
	ServerID string `json:"server_id"`
	Keys     []struct {
		KeyID      string     `json:"key_id"`
		Public     []byte     `json:"public"`
		ActiveFrom time.Time  `json:"active_from"`
		ActiveTo   *time.Time `json:"active_to"`
	} `json:"keys"`
}

// Strict: padded, without bits that are not used, without line breaks.
func decoded(text string, least, most int) []byte {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	need("form", err == nil && !strings.ContainsAny(text, "\r\n") && least <= len(raw) && len(raw) <= most)
	return raw
}

// Each member once, at every depth.
func requireOnce(decoder *json.Decoder) {
	token, err := decoder.Token()
	need("form", err == nil)
	delimiter, isDelimiter := token.(json.Delim)
	if !isDelimiter {
		return
	}
	seen := map[string]bool{}
	for decoder.More() {
		if delimiter == '{' {
			name, err := decoder.Token()
			text, isText := name.(string)
			need("form", err == nil && isText && !seen[text])
			seen[text] = true
		}
		requireOnce(decoder)
	}
	_, err = decoder.Token()
	need("form", err == nil)
}

// Step 1.
func readProof(document []byte) proof {
	need("form", len(document) <= maxProofBytes && utf8.Valid(document) && json.Valid(document))
	requireOnce(json.NewDecoder(bytes.NewReader(document)))
	var read proof
	need("form", json.Unmarshal(document, &read.members) == nil)
	need("form", json.Unmarshal(read.members["file"], &read.file) == nil && read.file.Size != nil)
	var known map[string]json.RawMessage
	need("form", json.Unmarshal(read.members["file"], &known) == nil)
	// The package takes a name in upper case for the same.
	var names map[string]json.RawMessage
	need("form", json.Unmarshal(known["opening"], &names) == nil && len(names) == 5)
	for _, name := range []string{"version", "purpose", "context", "secret", "prefix"} {
		need("form", names[name] != nil)
	}
	given := read.file.Open
	need("form", given.Version == "service/opening/1" && given.Purpose == "original")
	need("form", regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(given.Context))
	read.secret, read.prefix = decoded(given.Secret, 64, 64), decoded(given.Prefix, 1090, 66722)
	var cbor string
	need("form", json.Unmarshal(read.members["receipt_cbor"], &cbor) == nil)
	read.receipt = decoded(cbor, 1, 16384)
	for _, name := range []string{"size", "receipt_seq"} {
		var number int64
		need("form", json.Unmarshal(read.members[name], &number) == nil)
	}
	return read
}

var errCBOR = errors.New("not CBOR of these formats")

// The first value: a number, a text, bytes, true, false or a float; and what follows.
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
	case kind == 7 && width == 2:
		return number, rest, nil
	case kind == 7 && width == 4:
		return float64(math.Float32frombits(uint32(number))), rest, nil
	case kind == 7 && width == 8:
		return math.Float64frombits(number), rest, nil
	case !isShortest || kind > 3 || (kind < 2 && number > 1<<53-1):
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

func readMap(content []byte) (map[string]any, []byte, error) {
	if len(content) == 0 || content[0]>>5 != 5 || content[0]&31 > 23 {
		return nil, nil, errCBOR
	}
	fields, rest := map[string]any{}, content[1:]
	for range content[0] & 31 {
		name, next, err := readValue(rest)
		text, isText := name.(string)
		if _, isThere := fields[text]; err != nil || !isText || isThere {
			return nil, nil, errCBOR
		}
		if fields[text], rest, err = readValue(next); err != nil {
			return nil, nil, err
		}
	}
	return fields, rest, nil
}

// Steps 2 to 5. The keys are from elsewhere than the proof.
func checkSigned(given proof, from published) map[string]any {
	var keyID string
	need("form", json.Unmarshal(given.members["server_key_id"], &keyID) == nil)
	index := -1
	for at, key := range from.Keys {
		if key.KeyID == keyID {
			index = at
		}
	}
	need("key", index >= 0)
	key := from.Keys[index]
	hash := sha256.Sum256(key.Public)
	need("key", hex.EncodeToString(hash[:]) == keyID && len(key.Public) == 1984)

	// Only payload and signatures vary in 98([header, {}, payload, [[sign header, {}, signature], …]]).
	text := "application/service-receipt+cbor"
	header := "\x58\x24\xa1\x03\x78\x20" + text
	first := "\x58\x26\xa2\x01\x32\x04\x58\x20" + string(hash[:])
	second := "\x58\x27\xa2\x01\x38\x30\x04\x58\x20" + string(hash[:])
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
	need("receipt", ed25519.Verify(key.Public[:32], toBeSigned(first), []byte(signatures[len(between):len(between)+64])))
	public, err := mldsa.NewPublicKey(mldsa.MLDSA65(), key.Public[32:])
	need("receipt", err == nil && mldsa.Verify(public, toBeSigned(second), []byte(signatures[tail-3309:]), nil) == nil)

	fields, rest, err := readMap([]byte(payload[2:]))
	need("receipt", err == nil && len(rest) == 0 && fields["version"] == "service/receipt/1" && fields["blob_role"] == "original")
	at, err := time.Parse(time.RFC3339, fields["received_at"].(string))
	need("key", err == nil && !at.Before(key.ActiveFrom) && (key.ActiveTo == nil || !at.After(*key.ActiveTo)))
	need("server", fields["server_id"] == from.ServerID)
	for name, signed := range fields {
		raw, isThere := given.members[name]
		if bytes, isBytes := signed.([]byte); isBytes {
			signed = hex.EncodeToString(bytes)
		}
		text, err := json.Marshal(signed)
		need("members", !isThere || (err == nil && string(raw) == string(text)))
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
	for name, most := range map[string]int{"name": 8192, "type": 255, "modified_at": 64, "note": 49152, "sender": 1024} {
		if value, isThere := header[name]; isThere {
			if text, isText := value.(string); !isText || len(text) > most {
				return nil, errCBOR
			}
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
	context, err := hex.DecodeString(given.file.Open.Context)
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
	label := given.file.Name
	if given.file.Folder != "" {
		label = given.file.Folder + "/" + label
	}
	need("name", name == label)
	rest := signed["size"].(int64) - int64(len(given.prefix))
	segments := (rest + segmentBytes + tagBytes - 1) / (segmentBytes + tagBytes)
	padded := rest - segments*tagBytes
	need("length", padded >= 0 && segments <= math.MaxUint32 && segments == max(1, (padded+segmentBytes-1)/segmentBytes))
	need("length", *given.file.Size == words["size"].(int64) && size == *given.file.Size && size <= padded)
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
	Published      published `json:"published"`
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
		_, _, err := check(document, bytes.NewReader(content), int64(len(content)), all.Published)
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

func checkFile(proofPath, path, keysPath string) error {
	document, err := os.ReadFile(proofPath)
	if err != nil {
		return err
	}
	keys, err := os.ReadFile(keysPath)
	if err != nil {
		return err
	}
	var from published
	if err := json.Unmarshal(keys, &from); err != nil {
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
	fmt.Printf("%q %q %q\nholds\n", fields["server_id"], fields["received_at"], header)
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
