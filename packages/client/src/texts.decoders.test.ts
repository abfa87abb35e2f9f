/** Readers of addresses, words, answers, events and stored states. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64, toHex } from '@blindkeep/protocol/bytes'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { parseJson } from '@blindkeep/protocol/json'
import { operations } from '@blindkeep/protocol/operations'
import { AttestationKeysResponse, MovesResponse } from '@blindkeep/protocol/schemas/discovery'
import fc from 'fast-check'
import { anyText, assertPlain, changedJson, changedTexts, declared, runs } from '../../../testing/decoding.ts'
import { assertLinear } from '../../../testing/linear.ts'
import fragments from '../../../vectors/fragments.json' with { type: 'json' }
import manifests from '../../../vectors/manifests.json' with { type: 'json' }
import receipts from '../../../vectors/receipts.json' with { type: 'json' }
import words from '../../../vectors/recovery-words.json' with { type: 'json' }
import shares from '../../../vectors/shares.json' with { type: 'json' }
import { secretOfWords, wordsOfSecret } from './account/recoveryWords.ts'
import { WordsError } from './account/wordsError.ts'
import { fileKindsText, parseFileKinds } from './drops/fileKinds.ts'
import { makeFragment, parseFragment } from './drops/fragment.ts'
import { formatLink, parseLink } from './drops/linkAddress.ts'
import { LinkError } from './drops/linkError.ts'
import { parseQuestions, questionsText } from './drops/questions.ts'
import { safeName } from './ground/safeName.ts'
import { readAnswer, readText } from './http/answer.ts'
import { baseUrlOrUndefined, parseBaseUrl, partsOfAddress, pathOf } from './http/baseUrl.ts'
import { AnswerError, ProblemError } from './http/errors.ts'
import { readRefusal } from './http/refusal.ts'
import { answersText, parseAnswers } from './seal/answers.ts'
import { parseSendState } from './send/sendState.ts'
import { formatShare, makeShareFragment, parseShare, parseShareFragment } from './share/shareAddress.ts'
import { ShareError } from './share/shareError.ts'
import { createEventStreamParser } from './sync/eventStreamParser.ts'
import { listsOf, pinsOf } from './testing/scriptedServers.ts'
import { parseAssetMoveState } from './transfer/moveAsset.ts'
import { parseUploadState } from './upload/uploadState.ts'
import { parseReceipt } from './verify/audit.ts'
import { AuditError } from './verify/auditError.ts'
import { erasOf } from './verify/keyChanges.ts'
import { parsePins } from './verify/pinnedKeys.ts'
import { pinKeys, requireActiveAt } from './verify/pins.ts'

const isRangeError = (error: unknown) => error instanceof RangeError
const known = <Value>(value: Value | undefined): Value => value ?? assert.fail('undefined')
const OPAQUE_ID = '0123456789abcdef'.repeat(2)
const baseUrl = 'https://keep.example/a/path'

describe('safeName', () => {
  it('returns one plain name for any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, changedTexts('photo.jpg', '../../con.txt')), (text) => {
        const name = safeName(text)
        assert.ok(name.length > 0 && Buffer.byteLength(name) <= 255 && !/[/\\\p{Cc}]/u.test(name))
      }),
      runs(200),
    )
  })
})

describe('parseQuestions, parseFileKinds and parseAnswers', () => {
  const questions = [
    { label: 'Matter number', kind: 'text', required: true, most: 20 },
    { label: 'Topic', kind: 'choice', choices: ['Invoice', 'Other'] },
    { label: 'Day', kind: 'date' },
  ]
  const answers = [
    ['Matter number', '2026/17'],
    ['Topic', 'Other'],
  ]
  const anyList = fc.oneof(changedJson(questions), changedJson(answers)).map((json) => JSON.stringify(json) ?? '')

  it('throw nothing, and read what they have read as the same again', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyList, changedTexts('pdf,jpg', JSON.stringify(answers))), (text) => {
        const [asked, said, kinds] = [parseQuestions(text), parseAnswers(text), parseFileKinds(text)]
        if (asked !== undefined) assert.deepEqual(parseQuestions(questionsText(asked)), asked)
        if (said !== undefined) assert.deepEqual(parseAnswers(answersText(said)), said)
        if (kinds !== undefined) assert.equal(fileKindsText(kinds), text)
      }),
      runs(300),
    )
  })
})

describe('parseFragment and parseLink', () => {
  const valid = fragments.valid.map(({ fragment }) => fragment)
  const links = valid.map((fragment) => formatLink({ baseUrl, opaqueId: OPAQUE_ID, fragment }))

  it('read back what was made', () => {
    const anyId = fc.uint8Array({ minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(anyId, anyId, fc.uint8Array({ maxLength: 20 }), (opaqueId, linkSecret, dropPublicKey) => {
        const fragment = makeFragment({ suiteId: 1, opaqueId, dropPublicKey, linkSecret })
        assert.deepEqual(parseFragment(fragment)?.linkSecret, linkSecret)
        const parsed = parseLink(formatLink({ baseUrl, opaqueId: OPAQUE_ID, fragment }))
        assert.deepEqual(parsed, { baseUrl, opaqueId: OPAQUE_ID, fragment: parseFragment(fragment) })
      }),
      runs(50),
    )
  })

  it('read no changed fragment as the same link, and throw LinkError only', async () => {
    const before = new Set(valid.map((fragment) => JSON.stringify(parseFragment(fragment))))
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(...valid)), async (text) => {
        const fragment = parseFragment(text)
        if (fragment !== undefined && !text.startsWith('#')) assert.ok(!before.has(JSON.stringify(fragment)))
        const parts = { baseUrl, opaqueId: OPAQUE_ID, fragment: text }
        await declared(
          () => parseLink(parts),
          (error) => error instanceof LinkError,
        )
      }),
      runs(200),
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(...links)), async (text) => {
        await declared(
          () => parseLink(text),
          (error) => error instanceof LinkError,
        )
        await declared(
          () => parseLink({ baseUrl: text, opaqueId: text, fragment: text }),
          (error) => error instanceof LinkError,
        )
      }),
      runs(200),
    )
  })
})

describe('parseShareFragment and parseShare', () => {
  const valid = [...shares.valid, ...shares.with_passphrase].map(({ fragment }) => fragment)
  const addresses = valid.map((fragment) => `${baseUrl}/v/${OPAQUE_ID}#${fragment}`)

  it('read back what was made', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.boolean(), (shareKey, needsPassphrase) => {
        const fragment = { shareKey, needsPassphrase }
        assert.deepEqual(parseShareFragment(makeShareFragment(fragment)), fragment)
        const { opaqueId } = parseShare(known(addresses[0]))
        const address = { baseUrl, opaqueId, ...fragment }
        assert.deepEqual(parseShare(formatShare(address)), address)
      }),
      runs(50),
    )
  })

  it('throw ShareError only, and read no changed fragment as the same', async () => {
    const readOf = (text: string) => {
      const { shareKey, needsPassphrase } = parseShareFragment(text) ?? {}
      return shareKey && `${needsPassphrase} ${toHex(shareKey)}`
    }
    const keys = new Set(valid.map(readOf))
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(...valid)), async (text) => {
        const read = readOf(text)
        if (read !== undefined && !text.startsWith('#')) assert.ok(!keys.has(read))
      }),
      runs(200),
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(...addresses)), async (text) => {
        await declared(
          () => parseShare(text),
          (error) => error instanceof ShareError,
        )
        await declared(
          () => parseShare({ baseUrl: text, opaqueId: text, fragment: text }),
          (error) => error instanceof ShareError,
        )
      }),
      runs(200),
    )
  })
})

describe('parseBaseUrl, partsOfAddress and pathOf', () => {
  it('throw RangeError only, and give an address that is read back as itself', async () => {
    const anyAddress = fc.oneof(
      anyText,
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      changedTexts(baseUrl),
    )
    await fc.assert(
      fc.asyncProperty(anyAddress, async (text) => {
        const read = await declared(() => parseBaseUrl(text), isRangeError)
        assert.equal(baseUrlOrUndefined(text), read)
        if (read !== undefined) assert.equal(parseBaseUrl(read), read)
        partsOfAddress(text, 'u')
        const path = await declared(() => pathOf(operations.guestLink, { opaque_id: text }), isRangeError)
        if (path !== undefined) assert.equal(path, `/d/${text}`)
      }),
      runs(300),
    )
  })
})

describe('secretOfWords', () => {
  it('reads back the words of any secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (secret) => {
        assert.deepEqual(await secretOfWords((await wordsOfSecret(secret)).join(' ')), secret)
      }),
      runs(30),
    )
  })

  it('throws WordsError only', async () => {
    const valid = words.valid.map((one) => one.words)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(...valid)), async (text) => {
        const secret = await declared(
          () => secretOfWords(text),
          (error) => error instanceof WordsError,
        )
        if (secret !== undefined) assert.equal(secret.length, 32)
      }),
      runs(200),
    )
  })
})

const publishedKeys = {
  server_id: 'https://keep.example',
  keys: receipts.keys.slice(0, 1).map(({ key_id, public: bytes }) => ({
    key_id,
    public: bytes,
    algorithm: 'hybrid-ed25519-mldsa65',
    active_from: '2026-01-01T00:00:00.000Z',
  })),
}

describe('readAnswer and parseJson', () => {
  it('return a fault or a plain value with known members, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), changedJson(publishedKeys)), (json) => {
        const { value, fault } = readAnswer(AttestationKeysResponse, json)
        if (fault !== undefined) return
        assertPlain(value)
        for (const name of Object.keys(value)) assert.ok(Object.hasOwn(AttestationKeysResponse.properties, name))
      }),
      runs(300),
    )
    fc.assert(
      fc.property(fc.oneof(anyText, changedTexts(JSON.stringify(publishedKeys))), (text) => {
        parseJson(text)
      }),
      runs(100),
    )
  })
})

describe('readText and readRefusal', () => {
  it('return a text of the length, or undefined', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.nat(60), async (bytes, bytesMax) => {
        const text = await readText(new Blob([bytes]).stream(), bytesMax)
        if (text !== undefined) assert.ok(bytes.length <= bytesMax)
      }),
      runs(100),
    )
  })

  it('return a ProblemError for any answer', async () => {
    const problem = { code: 'error.drop.link_not_found', detail: 'x', limit: 5, status: 404 }
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyText,
          changedJson(problem).map((json) => JSON.stringify(json) ?? ''),
        ),
        fc.integer({ min: 400, max: 599 }),
        fc.oneof(fc.constantFrom('1', '-1', '1e3', '9'.repeat(17), 'soon'), fc.nat().map(String)),
        async (text, status, number) => {
          const headers = { 'retry-after': number, 'x-service-offset': number, 'x-request-id': number }
          const error = await readRefusal('guestLink', new Response(text, { status, headers }), 'https://keep.example')
          assert.ok(error instanceof ProblemError)
          assert.ok((error.detail ?? '').length <= 500)
          for (const value of [error.limit, error.retryAfterSeconds, error.offset])
            assert.ok(value === undefined || (Number.isSafeInteger(value) && value >= 0))
        },
      ),
      runs(200),
    )
  })
})

describe('where a server says that it has moved', () => {
  const movedTo = async (moved_to: unknown, facts: object = {}) => {
    const json = { status: 410, code: 'error.server.moved', moved_to, ...facts }
    return (await readRefusal('guestLink', Response.json(json, { status: 410 }), 'https://keep.example')).movedTo
  }

  it('is an address of plain characters in its one form', async () => {
    for (const address of ['https://drop.example', 'http://[::1]:8080', 'https://drop.example:8443/a/b_c'])
      assert.equal(await movedTo(address), address)
  })

  it('is left out if a terminal, a shell or a person could take it for something else', async () => {
    const others = [
      'https://drop.example/',
      'https://DROP.example',
      'https://drop.example:443',
      'https://drop.example/$(id)',
      'https://$(id).example',
      'https://drop.example/a b',
      'https://drop.example/\u001b[2J',
      'https://me@drop.example',
      'https://drop.example?a',
      'https://drop.example/../a',
      'https://dröp.example',
      'javascript:alert(1)',
      `https://drop.example/${'a'.repeat(300)}`,
      7,
    ]
    for (const address of others) assert.equal(await movedTo(address), undefined, String(address))
    assert.equal(await movedTo('https://drop.example', { code: 'error.drop.link_not_found' }), undefined)
  })

  it('is known from the status alone where an answer has no body', async () => {
    const { code } = await readRefusal('dropSession', new Response(null, { status: 410 }), 'https://keep.example')
    assert.equal(code, 'error.server.moved')
  })
})

const header = { size: 5, name: 'a.txt' }
const sendState = {
  version: 1,
  baseUrl,
  opaqueId: OPAQUE_ID,
  idempotencyKey: 'once',
  suggestedChunkBytes: 1024,
  size: 2000,
  ciphertextHash: 'ab'.repeat(32),
  kemCt: toBase64(new Uint8Array(1120)),
  key: toBase64(new Uint8Array(32)),
  salt: toBase64(new Uint8Array(16)),
  header,
  tags: toBase64(new Uint8Array(32)),
}
const uploadState = {
  version: 1,
  baseUrl,
  envelope: known(manifests.valid[0]).envelope,
  original: { size: 2000, salt: sendState.salt, header, tags: sendState.tags },
  metadata: { bytes: 'AAAA' },
  provenance: { bytes: 'AAAA' },
}

const receipt = {
  receipt_seq: 7,
  server_id: 'https://keep.example',
  server_key_id: 'ab'.repeat(32),
  upload_id: '6f1c3f5e-8d5e-4b6f-9a51-0d0f3f9f6a11',
  blob_role: 'original',
  ciphertext_hash: 'cd'.repeat(32),
  size: 5,
  received_at: '2026-11-25T03:00:00.000Z',
  receipt_cbor: 'AAAA',
}

describe('parseSendState, parseUploadState, parseAssetMoveState, parsePins and parseReceipt', () => {
  const moveState = {
    version: 1,
    assetId: uploadState.envelope.file_id,
    provenanceHash: 'ab'.repeat(32),
    copy: uploadState,
  }
  const pins = {
    ...pinKeys(AttestationKeysResponseOf(publishedKeys), publishedKeys.server_id),
    keyChanges: { moves: [{ leave: 'AAAA', arrive: 'AAAA' }], rotations: [] },
    knownSince: '2026-03-01T10:20:30.456Z',
    movedTo: 'https://drop.example',
  }
  const states = {
    parseSendState: { read: parseSendState, valid: sendState },
    parseUploadState: { read: parseUploadState, valid: uploadState },
    parseAssetMoveState: { read: parseAssetMoveState, valid: moveState },
    parsePins: { read: parsePins, valid: pins },
    parseReceipt: { read: parseReceipt, valid: receipt },
  }
  for (const [name, { read, valid }] of Object.entries(states))
    it(`read back what was stored, and throw RangeError for anything else: ${name}`, async () => {
      assert.deepEqual(read(JSON.parse(JSON.stringify(valid))), valid)
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.jsonValue(), changedJson(valid)), async (json) => {
          const state = await declared<object>(() => read(json), isRangeError)
          if (state !== undefined) assertPlain(state)
        }),
        runs(200),
      )
    })

  it('read the state of a file of half a tebibyte', () => {
    const tags = toBase64(new Uint8Array(8 * 1024 * 1024))
    assert.equal(parseSendState({ ...sendState, tags }).tags.length, tags.length)
  })
})

function AttestationKeysResponseOf(json: unknown) {
  return readAnswer(AttestationKeysResponse, json).value ?? assert.fail('the keys do not match their schema')
}

describe('pinKeys', () => {
  const published = AttestationKeysResponseOf(publishedKeys)
  const pinned = pinKeys(published, published.server_id)

  it('throws AuditError only, and never pins a changed key in place of a known one', async () => {
    await fc.assert(
      fc.asyncProperty(changedJson(publishedKeys), async (json) => {
        const { value } = readAnswer(AttestationKeysResponse, json)
        if (value === undefined) return
        const keys = await declared(
          () => pinKeys(value, published.server_id, pinned),
          (error) => error instanceof AuditError,
        )
        if (keys !== undefined) assert.deepEqual(keys.keys[0]?.public, pinned.keys[0]?.public)
        for (const key of keys?.keys ?? [])
          await declared(
            () => requireActiveAt(key, '2026-03-01T10:20:30.456Z'),
            (error) => error instanceof AuditError,
          )
      }),
      runs(300),
    )
  })

  it('compares a long list in one pass', () =>
    assertLinear({
      size: 256,
      // All of these are still published in their places. The first is then refused, because its id is not its hash.
      input: (count) =>
        Array.from({ length: count }, (_, index) => ({
          ...(published.keys[0] ?? assert.fail('there is no key')),
          key_id: known(parseSha256Hex(index.toString(16).padStart(64, '0'))),
        })),
      run: (keys) => {
        const pins = keys.map((key) => ({ keyId: key.key_id, public: key.public, activeFrom: key.active_from }))
        pinKeys({ ...published, keys }, published.server_id, { serverId: published.server_id, keys: pins })
      },
    }))
})

describe('erasOf, which reads what a server says of its names by readEras', () => {
  it('throws AuditError and AnswerError only, and never gives a key another name', async () => {
    const pins = pinsOf('a move and a rotation')
    const { moves, rotations } = listsOf('a move and a rotation').changes
    const eras = await erasOf({ ...pins, keyChanges: { moves, rotations } })
    await fc.assert(
      fc.asyncProperty(changedJson({ moves, rotations }), async (json) => {
        const { value } = readAnswer(MovesResponse, { ...Object(json), server_id: pins.serverId })
        if (value === undefined) return
        const found = await declared(
          () => erasOf({ ...pins, keyChanges: value }),
          (error) => error instanceof AuditError || error instanceof AnswerError,
        )
        if (found !== undefined) assert.deepEqual(found, eras)
      }),
      runs(60),
    )
  })
})

describe('createEventStreamParser', () => {
  it('throws RangeError only, and reads the same for any cuts', async () => {
    const valid = 'id: 1\nevent: drop.landed\ndata: {"a":1}\n\n: comment\nid: 2\ndata: x\r\ndata: y\r\n\r\n'
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(valid, valid.repeat(3))), fc.nat(20), async (text, step) => {
        const whole = await declared(() => createEventStreamParser('0').push(text), isRangeError)
        const parser = createEventStreamParser('0')
        const pieces = text.match(new RegExp(`[^]{1,${step + 1}}`, 'g')) ?? []
        assert.deepEqual(
          pieces.flatMap((piece) => parser.push(piece)),
          whole,
        )
      }),
      runs(300),
    )
  })
})
