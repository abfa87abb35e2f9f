import { concatBytes, toHex } from '@blindkeep/protocol/bytes'
import { linkKeysOf } from '../../packages/client/src/drops/dropKeys.ts'
import { sealLinkTitle } from '../../packages/client/src/drops/linkTitle.ts'
import { linkTitleKey } from '../../packages/client/src/seal/derive.ts'
import { createSealer, sealSmall } from '../../packages/client/src/seal/seal.ts'
import { ACCOUNT_KEY, ALBUM_ID, OPAQUE_ID, SALT } from './inputs.ts'

const { linkSecret } = linkKeysOf(ACCOUNT_KEY, OPAQUE_ID)
const seal = { linkSecret, opaqueId: OPAQUE_ID, salt: SALT }
const key = linkTitleKey(linkSecret, OPAQUE_ID)
const LONGEST = { title: '文'.repeat(200), message: '文'.repeat(500) }

export async function linkTitleVectors() {
  const texts = [
    { name: 'title and message', title: 'Photos of the wedding – Grüße', message: 'Until Sunday, please. 文' },
    { name: 'a title alone', title: 'Scans' },
    { name: 'a message alone', message: 'No videos.' },
    { name: 'neither' },
    { name: 'the longest texts', ...LONGEST },
    { name: 'with a name', title: 'Scans', from: 'Dr. Grün’s practice' },
    { name: 'the longest texts with the longest name', ...LONGEST, from: '文'.repeat(100) },
  ]
  const valid = []
  for (const { name, ...given } of texts)
    valid.push({
      name,
      link_secret: toHex(linkSecret),
      opaque_id: toHex(OPAQUE_ID),
      key: toHex(key),
      salt: toHex(SALT),
      ...given,
      sealed: toHex(await sealLinkTitle(seal, given)),
    })
  return {
    valid,
    /** As typed, and as a reader shows it. */
    lines: [
      { name: 'line ends and tabs', given: ' one\r\n\ttwo\u2028three ', shown: 'one two three' },
      { name: 'characters that turn the direction', given: 'a\u202Egpj.exe\u2069 b', shown: 'agpj.exe b' },
      { name: 'nothing else', given: '\u200F \u0000', shown: null },
    ],
    invalid: await invalid(),
  }
}

async function invalid() {
  const sealed = await sealLinkTitle(seal, { title: 'Scans' })
  const other = await sealLinkTitle({ ...seal, opaqueId: ALBUM_ID }, { title: 'Scans' })
  const blobs = {
    'of another link': { reason: 'wrong_key', sealed: other },
    'of another purpose': {
      reason: 'wrong_key',
      sealed: await sealSmall(new Uint8Array(0), { key, purpose: 'link-label', contextId: OPAQUE_ID, salt: SALT }),
    },
    'with content': {
      reason: 'header_invalid',
      sealed: await sealSmall(Uint8Array.of(1), { key, purpose: 'link-title', contextId: OPAQUE_ID, salt: SALT }),
    },
    'a title that is too long': { reason: 'header_invalid', sealed: await tooLong({ name: 'x'.repeat(601) }) },
    'a name that is too long': { reason: 'header_invalid', sealed: await tooLong({ sender: 'x'.repeat(301) }) },
    'a message that is too long': { reason: 'header_invalid', sealed: await tooLong({ note: 'x'.repeat(1501) }) },
    'cut off': { reason: 'truncated', sealed: sealed.subarray(0, -1) },
    'with a byte behind it': { reason: 'altered', sealed: concatBytes(sealed, Uint8Array.of(0)) },
    empty: { reason: 'truncated', sealed: new Uint8Array(0) },
  }
  return Object.entries(blobs).map(([name, blob]) => ({ name, reason: blob.reason, sealed: toHex(blob.sealed) }))
}

async function tooLong(texts: { readonly name?: string; readonly note?: string; readonly sender?: string }) {
  const header = { size: 0, ...texts }
  const sealer = await createSealer({ key, purpose: 'link-title', contextId: OPAQUE_ID, header, salt: SALT })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, new Uint8Array(0)))
}
