/** Readers of other people's files, of what frames send, and of what an earlier visit has stored. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { parseDeviceId, parseSha256Hex } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import {
  anyBytes,
  anyText,
  changedBytes,
  changedJson,
  changedTexts,
  declared,
  runs,
} from '../../../testing/decoding.ts'
import { assertLinear } from '../../../testing/linear.ts'
import { tiffOf } from '../e2e/documents.ts'
import { pngOf } from '../e2e/pictures.ts'
import { isLanguage, pickLanguage, readerLocale } from './common/language/language.ts'
import { readLandedFile, readMessage, readPlannedFile, readStoredUpload } from './guest/engine/store/storedValues.ts'
import { readSeenRecord, withRevoked } from './owner/browser/seenRecord.ts'
import { readStoredSession } from './owner/browser/storedSession.ts'
import { parseRoute } from './owner/ground/route.ts'
import { openTiff } from './preview/decoders/openTiff.ts'
import { imageTypeOf } from './preview/fileKind.ts'
import { pixelsOf } from './preview/imagePixels.ts'
import { readForPreview } from './preview/previewContent.ts'
import { IMAGE_TYPES, parseFromFrame } from './preview/previewMessages.ts'
import { thumbnailTypeOf } from './preview/thumbnail.ts'
import { noticeOf } from './push/notice.ts'
import { readPushMessage } from './push/pushMessage.ts'

const nothing = () => false
function known<Id>(id: Id | undefined): Id {
  assert.ok(id !== undefined)
  return id
}
const own = (bytes: Uint8Array) => Uint8Array.from(bytes)
const gif = Uint8Array.from(
  Buffer.from('GIF89a\x05\0\x05\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\x05\0\x05\0\0\x02', 'latin1'),
)
const jpeg = Uint8Array.from([
  0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc0, 0, 11, 8, 0, 5, 0, 5, 1, 1, 0x11, 0,
])
const webp = Uint8Array.from(Buffer.from('RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x04\0\0\x04\0\0', 'latin1'))
const avif = Uint8Array.from(
  Buffer.from(
    `\0\0\0\x1cftypavif\0\0\0\0mif1miaf\0\0\0\x14ispe\0\0\0\0\0\0\0\x05\0\0\0\x05${'\0'.repeat(16)}`,
    'latin1',
  ),
)
const pictures = [own(pngOf({ width: 5, height: 5 })), gif, jpeg, webp, avif]

describe('readers of pictures', () => {
  it('give the pixels of a picture of each kind', () => {
    assert.deepEqual(
      pictures.map((bytes) => pixelsOf(imageTypeOf(bytes) ?? 'image/png', bytes)),
      [25, 25, 25, 25, 25],
    )
  })

  it('throw nothing, and give whole numbers of pixels', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...pictures)), async (bytes) => {
        for (const type of IMAGE_TYPES) {
          const pixels = await declared(() => pixelsOf(type, own(bytes)), nothing)
          assert.ok(pixels === undefined || (Number.isInteger(pixels) && pixels > 0))
        }
        await declared(() => thumbnailTypeOf(own(bytes)), nothing)
        const { kind } = await readForPreview(new Blob([own(bytes)]).stream())
        assert.ok(['image', 'pages', 'media', 'text', 'none'].includes(kind))
      }),
      runs(200),
    )
  })

  it('count the pages of a TIFF, or throw an error', () => {
    const scan = tiffOf({ width: 10, height: 10, compression: 1, strip: new Uint8Array(100) })
    fc.assert(
      fc.property(fc.oneof(anyBytes, changedBytes(scan)), (bytes) => {
        try {
          assert.ok(openTiff(own(bytes).buffer).pages <= 1000)
        } catch (error) {
          // Its worker says of each that the file is damaged.
          assert.ok(error instanceof Error && !(error instanceof assert.AssertionError))
        }
      }),
      runs(200),
    )
  })

  const shapes: Readonly<Record<string, (size: number) => Uint8Array<ArrayBuffer>>> = {
    zeros: (size) => new Uint8Array(size),
    ones: (size) => new Uint8Array(size).fill(1),
    'fill bytes': (size) => Uint8Array.from({ length: size }, (_, index) => (index === 1 ? 0xd8 : 0xff)),
    'extensions of one byte': (size) =>
      own(Buffer.concat([gif.subarray(0, 20), Buffer.alloc(size, Uint8Array.of(0x21, 0xf9, 1, 0, 0))])),
    'size boxes': (size) => own(Buffer.alloc(size, 'ispe')),
  }
  for (const [shape, input] of Object.entries(shapes))
    it(`take no more than the length of ${shape}`, () =>
      assertLinear({ input, run: (bytes) => IMAGE_TYPES.map((type) => pixelsOf(type, bytes)) }))
})

describe('parseFromFrame', () => {
  it('throws nothing, and returns only the members that it declares', () => {
    const valid = [{ kind: 'ready' }, { kind: 'shown', width: 5, height: 5 }, { kind: 'thumbnail', bytes: {} }]
    fc.assert(
      fc.property(changedJson(...valid), (json) => {
        const message = parseFromFrame(json)
        for (const name of Object.keys(message ?? {})) assert.ok(['kind', 'width', 'height', 'bytes'].includes(name))
      }),
      runs(300),
    )
  })
})

describe('parseRoute, isLanguage, pickLanguage and readerLocale', () => {
  it('throw nothing for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts('#/albums/a/b?link=c', 'en-GB')), async (text) => {
        const route = await declared(() => parseRoute(text), nothing)
        assert.equal(typeof route?.rest, 'string')
        assert.equal(isLanguage(text), text === 'en' || text === 'de')
        assert.ok(isLanguage(pickLanguage([text])))
        new Intl.NumberFormat(readerLocale('en', [text]))
      }),
      runs(200),
    )
  })
})

const identity = { name: 'a.txt', folder: '', size: 5, lastModified: 7 }
const upload = {
  ...identity,
  id: 'one',
  linkId: 'link',
  keptAt: 1,
  state: {
    version: 1,
    baseUrl: 'https://keep.example',
    opaqueId: '0123456789abcdef'.repeat(2),
    idempotencyKey: 'once',
    suggestedChunkBytes: 1024,
    size: 2000,
    ciphertextHash: 'ab'.repeat(32),
    kemCt: toBase64(new Uint8Array(1120)),
    key: toBase64(new Uint8Array(32)),
    salt: toBase64(new Uint8Array(16)),
    header: { size: 5, name: 'a.txt' },
    tags: toBase64(new Uint8Array(32)),
  },
}
const custody = { baseUrl: 'https://keep.example', opaqueId: 'a', uploadId: 'b', ciphertextHash: 'c', size: 2000 }
const receipt = {
  receipt_seq: 1,
  server_id: 'https://keep.example',
  server_key_id: 'a',
  ciphertext_hash: 'c',
  size: 2000,
  received_at: '2026-03-01T10:20:30.456Z',
  receipt_cbor: 'AAAA',
}
const batch = { id: 'ab'.repeat(16), index: 3, count: 9 }
const planned = { ...identity, id: 'one', linkId: 'link', visitId: 'visit', keptAt: 1, batch }
const message = { linkId: 'link', note: 'From the lake', sender: 'Ada', keptAt: 1 }
const landed = { ...identity, id: 'one', linkId: 'link', landedAt: 1, custody, receipt }
const tokens = {
  accountId: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f',
  accessToken: 'a',
  refreshToken: 'b',
  expiresAt: 'c',
}
const email = 'ann@example.org'
const accountKey = new Uint8Array(32).fill(3)

describe('readStoredUpload, readPlannedFile, readMessage, readLandedFile and readStoredSession', () => {
  it('read back what was stored', () => {
    assert.deepEqual(readStoredUpload(upload, 100), { ...upload, sentBytes: 100 })
    assert.deepEqual(readPlannedFile(planned), planned)
    assert.deepEqual(readMessage(message), { note: message.note, sender: message.sender })
    assert.deepEqual(readLandedFile(landed), landed)
    assert.deepEqual(readStoredSession({ email, accountKey, tokens }), { email, accountKey, tokens })
  })

  it('throw nothing, and return what the pages can use, for anything else', async () => {
    await fc.assert(
      fc.asyncProperty(
        changedJson(upload, planned, message, landed, tokens),
        changedJson(5, 2000),
        async (json, sentBytes) => {
          const unfinished = await declared(() => readStoredUpload(json, sentBytes), nothing)
          if (unfinished !== undefined) assert.ok(unfinished.sentBytes <= unfinished.state.size)
          const missing = await declared(() => readPlannedFile(json), nothing)
          assert.ok(missing === undefined || missing.batch === undefined || typeof missing.batch.id === 'string')
          const written = await declared(() => readMessage(json), nothing)
          assert.ok(written === undefined || (typeof written.note === 'string' && typeof written.sender === 'string'))
          const file = await declared(() => readLandedFile(json), nothing)
          if (file !== undefined) new Date(file.landedAt).toISOString()
          const session = await declared(() => readStoredSession({ email, accountKey, tokens: json }), nothing)
          assert.ok(session === undefined || typeof session.tokens.accessToken === 'string')
          await declared(() => readStoredSession(json), nothing)
          assert.equal(await declared(() => readStoredSession({ email, accountKey: json, tokens }), nothing), undefined)
          const addressed = await declared(() => readStoredSession({ email: json, accountKey, tokens }), nothing)
          assert.ok(addressed === undefined || addressed.email === normaliseEmail(addressed.email))
        },
      ),
      runs(300),
    )
  })
})

describe('readSeenRecord', () => {
  const device = known(parseDeviceId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e80'))
  const at = '2026-05-06T07:08:09.000Z'
  const record = {
    accountHash: known(parseSha256Hex('0123456789abcdef'.repeat(4))),
    changeSeq: 7,
    revokedDevices: new Map([[device, at]]),
    lookedAfterMove: at,
    visits: Uint8Array.of(1, 2),
  }

  it('reads back what was stored', () => {
    assert.deepEqual(readSeenRecord(structuredClone(record)), record)
  })

  it('throws nothing, and keeps only ids, numbers and times, for anything else', async () => {
    const members = fc.record({
      accountHash: changedJson(record.accountHash),
      changeSeq: changedJson(7, -1, 0.5),
      lookedAfterMove: changedJson(at, 'now'),
      revokedDevices: fc.oneof(
        changedJson(record),
        fc.array(fc.tuple(changedJson(device, 'x'), changedJson(at, 'now'))).map((entries) => new Map(entries)),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.oneof(members, changedJson(record, 7)), async (stored) => {
        const read = await declared(() => readSeenRecord(stored), nothing)
        assert.ok(read !== undefined && Number.isSafeInteger(read.changeSeq) && read.changeSeq >= 0)
        assert.ok(read.visits === undefined || read.visits instanceof Uint8Array)
        assert.ok(read.lookedAfterMove === undefined || Number.isFinite(Date.parse(read.lookedAfterMove)))
        for (const [id, time] of read.revokedDevices)
          assert.ok(parseDeviceId(id) === id && Number.isFinite(Date.parse(time)))
      }),
      runs(300),
    )
  })

  it('keeps the first time of a revoked device', () => {
    const other = known(parseDeviceId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e81'))
    const later = '2027-01-01T00:00:00.000Z'
    const both = withRevoked(
      record,
      new Map([
        [device, later],
        [other, later],
      ]),
    )
    assert.deepEqual(Object.fromEntries(both.revokedDevices), { [device]: at, [other]: later })
  })
})

describe('readPushMessage', () => {
  const landings = { about: 'landings', id: 'a', count: 3, last_at: '2026-06-01T10:05:00.000Z', server: 'keep.example' }
  const test = { about: 'test', id: 'b', server: 'keep.example' }

  it('gives words to every message, also to one that no server sends', () => {
    const texts = changedJson(landings, test).map((value) => JSON.stringify(value) ?? '')
    fc.assert(
      fc.property(fc.oneof(texts, anyText, fc.json()), (text) => {
        const { title, body } = noticeOf(readPushMessage(text), { language: 'en', shown: undefined })
        assert.ok(title.length > 0 && !/undefined|NaN|Invalid/.test(`${title} ${body}`))
      }),
      runs(300),
    )
  })
})
