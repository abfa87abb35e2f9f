import { concatBytes, toHex } from '@blindkeep/protocol/bytes'
import { createSealer, sealSmall } from '../../packages/client/src/seal/seal.ts'
import { type NameSeal, sealName } from '../../packages/client/src/seal/sealedName.ts'
import { ACCOUNT_KEY, ALBUM_ID, DEVICE_ID, known, OPAQUE_ID, PASSKEY_ID, SALT } from './inputs.ts'

const seals: Readonly<Record<'share' | 'session' | 'device' | 'passkey' | 'channel', NameSeal>> = {
  share: { key: ACCOUNT_KEY, purpose: 'share-name', contextId: OPAQUE_ID, salt: SALT },
  session: { key: ACCOUNT_KEY, purpose: 'session-name', contextId: ALBUM_ID, salt: SALT },
  device: { key: ACCOUNT_KEY, purpose: 'device-name', contextId: DEVICE_ID, salt: SALT },
  passkey: { key: ACCOUNT_KEY, purpose: 'passkey-name', contextId: PASSKEY_ID, salt: SALT },
  channel: { key: ACCOUNT_KEY, purpose: 'channel-name', contextId: ALBUM_ID, salt: SALT },
}
const { device } = seals

export async function ownNameVectors() {
  const texts = [
    { name: 'of a share', seal: seals.share, text: 'Für die Großeltern – 文' },
    { name: 'of a session', seal: seals.session, text: 'Firefox on Linux' },
    { name: 'of a device', seal: device, text: 'blindkeep on desk' },
    { name: 'of a passkey', seal: seals.passkey, text: 'Security key' },
    { name: 'of a channel', seal: seals.channel, text: 'Safari on iOS' },
    { name: 'the longest one', seal: device, text: '文'.repeat(200) },
  ]
  const valid = []
  for (const { name, seal, text } of texts)
    valid.push({
      name,
      account_key: toHex(seal.key),
      purpose: seal.purpose,
      context_id: toHex(seal.contextId),
      salt: toHex(SALT),
      text,
      sealed: toHex(known(await sealName(seal, text))),
    })
  return { valid, invalid: await invalid() }
}

/** None opens as the name of the device. */
async function invalid() {
  const sealed = known(await sealName(device, 'desk'))
  const blobs = {
    'of another device': {
      reason: 'wrong_key',
      sealed: known(await sealName({ ...device, contextId: ALBUM_ID }, 'desk')),
    },
    'of a session with the same id': {
      reason: 'wrong_key',
      sealed: known(await sealName({ ...device, purpose: 'session-name' }, 'desk')),
    },
    'with content': { reason: 'header_invalid', sealed: await sealSmall(Uint8Array.of(1), device) },
    'too long': { reason: 'header_invalid', sealed: await tooLong() },
    'cut off': { reason: 'truncated', sealed: sealed.subarray(0, -1) },
    'with a byte behind it': { reason: 'altered', sealed: concatBytes(sealed, Uint8Array.of(0)) },
  }
  return Object.entries(blobs).map(([name, blob]) => ({ name, reason: blob.reason, sealed: toHex(blob.sealed) }))
}

async function tooLong() {
  const sealer = await createSealer({ ...device, header: { size: 0, name: 'x'.repeat(601) } })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, new Uint8Array(0)))
}
