/** Readers of ids, times, spellings of bytes, and JSON values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  anyBytes,
  anyText,
  assertPlain,
  changedBytes,
  changedJson,
  changedTexts,
  declared,
  runs,
} from '../../../testing/decoding.ts'
import { assertLinear, HOSTILE_TEXTS } from '../../../testing/linear.ts'
import { parseSize } from './byteSizes.ts'
import { fromBase64, fromHex, parseBase64, toBase64, toHex, uuidBytes } from './bytes.ts'
import {
  formatInstant,
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseBinId,
  parseChannelId,
  parseDeviceId,
  parseDropId,
  parseInstant,
  parseJti,
  parseKeyId,
  parseOpaqueId,
  parsePasskeyId,
  parseProtocolVersion,
  parseSessionId,
  parseSha256Hex,
  parseUploadId,
} from './ids.ts'
import { parse } from './parse.ts'
import { AttestationKeysResponse, RevokedJtiResponse, ServerInfoResponse } from './schemas/discovery.ts'
import { ManifestEnvelope } from './schemas/manifest.ts'
import { base64, object } from './schemas/shape.ts'
import { whole } from './testing/envelopes.ts'
import { decodeLine, decodeText, NotText } from './textFile.ts'
import { trimEnd } from './trimEnd.ts'

const UUID = '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'

/** Each returns undefined for any text but those of one form. */
const parsers: Readonly<Record<string, { readonly parse: (text: string) => unknown; readonly valid: string }>> = {
  parseAccountId: { parse: parseAccountId, valid: UUID },
  parseAlbumId: { parse: parseAlbumId, valid: UUID },
  parseAssetId: { parse: parseAssetId, valid: UUID },
  parseDeviceId: { parse: parseDeviceId, valid: UUID },
  parseBinId: { parse: parseBinId, valid: UUID },
  parseDropId: { parse: parseDropId, valid: UUID },
  parseUploadId: { parse: parseUploadId, valid: UUID },
  parseSessionId: { parse: parseSessionId, valid: UUID },
  parseChannelId: { parse: parseChannelId, valid: UUID },
  parsePasskeyId: { parse: parsePasskeyId, valid: UUID },
  parseJti: { parse: parseJti, valid: UUID },
  parseOpaqueId: { parse: parseOpaqueId, valid: '0123456789abcdef'.repeat(2) },
  parseSha256Hex: { parse: parseSha256Hex, valid: '0123456789abcdef'.repeat(4) },
  parseKeyId: { parse: parseKeyId, valid: '0123456789abcdef'.repeat(4) },
  parseProtocolVersion: { parse: parseProtocolVersion, valid: '2028-02-29' },
}

for (const [name, { parse: read, valid }] of Object.entries(parsers))
  describe(name, () => {
    it('returns a valid text as it is, and undefined or the text itself for any other', () => {
      assert.equal(read(valid), valid)
      fc.assert(
        fc.property(fc.oneof(anyText, changedTexts(valid)), (text) => {
          const result = read(text)
          assert.ok(result === undefined || (result === text && text.length === valid.length))
        }),
        runs(60),
      )
    })
  })

describe('parseSize', () => {
  it('returns whole bytes that a number holds exactly, or undefined', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, changedTexts('1048576', '10MiB', '5 GB', '9007199254740991 B')), (text) => {
        const bytes = parseSize(text)
        assert.ok(bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0))
      }),
      runs(300),
    )
  })
})

describe('parseInstant', () => {
  const valid = ['2026-03-01T10:20:30.456Z', '2026-12-31T23:59:60+01:30', '0000-01-01t00:00:00z']

  it('returns an instant that has a form, or undefined', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, changedTexts(...valid)), (text) => {
        const at = parseInstant(text)
        if (at !== undefined) assert.equal(parseInstant(formatInstant(at)), at)
      }),
      runs(300),
    )
  })

  it('reads what formatInstant writes', () => {
    const anyDate = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(anyDate, (date) => assert.equal(parseInstant(date.toISOString()), date.getTime())),
      runs(100),
    )
  })
})

describe('readers of bytes in text', () => {
  const spellings = {
    hex: { read: fromHex, write: toHex, valid: ['', '00ff', 'a1'.repeat(20)] },
    base64: { read: fromBase64, write: toBase64, valid: ['', 'AA==', 'AAA=', 'AAAA', 'q83vEjRWeJA='] },
    uuid: { read: uuidBytes, write: (bytes: Uint8Array) => spelled(bytes), valid: [UUID] },
  }
  for (const [name, { read, write, valid }] of Object.entries(spellings)) {
    it(`throw RangeError only, and read one spelling of each value: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(anyText, changedTexts(...valid)), async (text) => {
          const bytes = await declared(
            () => read(text),
            (error) => error instanceof RangeError,
          )
          if (bytes !== undefined) assert.equal(write(bytes), text)
        }),
        runs(200),
      )
    })
  }

  it('read back what was written', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        assert.deepEqual(fromHex(toHex(bytes)), bytes)
        assert.deepEqual(parseBase64(toBase64(bytes)), bytes)
      }),
      runs(100),
    )
  })

  function spelled(bytes: Uint8Array): string {
    return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
})

describe('parse', () => {
  const documents = {
    'an envelope': { schema: ManifestEnvelope, valid: whole },
    'attestation keys': {
      schema: AttestationKeysResponse,
      valid: {
        server_id: 'https://example.org',
        keys: [
          {
            key_id: 'ab'.repeat(32),
            public: toBase64(new Uint8Array(1984)),
            algorithm: 'hybrid-ed25519-mldsa65',
            active_from: '2026-01-01T00:00:00.000Z',
          },
        ],
      },
    },
    'revoked tokens': {
      schema: RevokedJtiResponse,
      valid: {
        generated_at: '2026-01-01T00:00:00.000Z',
        max_staleness_seconds: 300,
        revoked: [{ jti: UUID, expires_at: '2026-01-01T00:00:00.000Z' }],
      },
    },
  } as const
  for (const [name, { schema, valid }] of Object.entries(documents))
    it(`returns a fault or a plain value, and never throws: ${name}`, () => {
      fc.assert(
        fc.property(fc.oneof(fc.jsonValue(), changedJson(valid)), (json) => {
          const { value, fault } = parse(schema, json)
          if (fault === undefined) assertPlain(value)
          else assert.ok(fault.detail.length > 0)
        }),
        runs(150),
      )
    })

  it('reads server-info without its optional members, and refuses other members', () => {
    assert.equal(parse(ServerInfoResponse, JSON.parse('{"__proto__": {}}')).fault?.kind, 'unknown_member')
  })

  it('checks base64 of any length without running out of stack', () => {
    const schema = object('Long', { bytes: base64('Many.', { min: 0, max: 8 * 1024 * 1024 }) })
    const bytes = 'A'.repeat(10 * 1024 * 1024)
    assert.equal(parse(schema, { bytes }).fault, undefined)
    assert.equal(parse(schema, { bytes: `${bytes}A` }).fault?.kind, 'wrong_value')
  })
})

const envelopeWith = (text: string) => ({
  ...whole,
  client_version: text,
  timestamp: text,
  file_id: text,
  plaintext_size: text,
})
const ofText: Readonly<Record<string, (text: string) => unknown>> = {
  parseAssetId,
  parseProtocolVersion,
  parseInstant: (text) => parseInstant(`2026-03-01T10:20:30.${text}`),
  fromHex,
  parseBase64,
  trimEnd: (text) => trimEnd(text, './ '),
  'parse, of an envelope': (text) => parse(ManifestEnvelope, envelopeWith(text)),
}

for (const [name, run] of Object.entries(ofText))
  describe(`the work of ${name}`, () => {
    for (const [shape, input] of Object.entries(HOSTILE_TEXTS))
      it(`rises with the length of ${shape}`, () => assertLinear({ input, run }))
  })

describe('texts in files', () => {
  it('are read, or refused with their error', async () => {
    const valid = ['', 'A=1\r\nB=ü\n'].flatMap((text) =>
      (['utf8', 'utf16le'] as const).map((encoding) => new Uint8Array(Buffer.from(`\ufeff${text}`, encoding))),
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...valid)), async (bytes) => {
        for (const decode of [decodeText, decodeLine]) {
          const text = await declared(
            () => decode(bytes),
            (error) => error instanceof NotText,
          )
          if (text !== undefined) assert.ok(!/[\0\r]/.test(text) && !text.startsWith('\ufeff'))
        }
      }),
      runs(300),
    )
  })
})
