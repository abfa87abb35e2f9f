import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { concatBytes, toHex, uint32be, utf8 } from '@blindkeep/protocol/bytes'
import { normaliseEmail } from '@blindkeep/protocol/email'
import { nodeEnvironment } from '../../packages/client/src/node/nodeEnvironment.ts'
import * as derive from '../../packages/client/src/seal/derive.ts'
import { keyPairFromSeed } from '../../packages/client/src/seal/kem.ts'
import { normalPassphrase } from '../../packages/client/src/seal/passphraseSpellings.ts'
import {
  ACCOUNT_KEY,
  ALBUM_ID,
  BLOB_KEY,
  DEVICE_ID,
  EMAIL,
  EMAIL_TYPED,
  FILE_ID,
  OPAQUE_ID,
  PASSKEY_OUTPUT,
  patternBytes,
  RECOVERY_SECRET,
  rising,
  SALT,
  SHARE_KEY,
  STRETCHED,
} from './inputs.ts'

interface Row {
  readonly name: string
  readonly ikm: Uint8Array
  readonly salt?: Uint8Array
  readonly info: Uint8Array
  readonly output: Uint8Array
}

const label = (text: string) => utf8(`${text}\0`)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

const SHARED_SECRET = rising(0x60, 32)
const LINK_SECRET = derive.linkSecret(ACCOUNT_KEY, OPAQUE_ID)
const INPUTS = {
  account_key: toHex(ACCOUNT_KEY),
  recovery_secret: toHex(RECOVERY_SECRET),
  blob_key: toHex(BLOB_KEY),
  salt: toHex(SALT),
  opaque_id: toHex(OPAQUE_ID),
  album_id: toHex(ALBUM_ID),
  file_id: toHex(FILE_ID),
  device_id: toHex(DEVICE_ID),
  passkey_output: toHex(PASSKEY_OUTPUT),
  shared_secret: toHex(SHARED_SECRET),
  share_key: toHex(SHARE_KEY),
  stretched: toHex(STRETCHED),
}

/**
 * The rows repeat ikm, salt and info without the code of the client, so that the two have to agree. Argon2id is
 * OpenSSL's here, which is quicker; the tests of the client compare the implementation for browsers with these vectors.
 */
export async function derivationVectors() {
  const password = 'ﬁne Paßwörter, 12 Zeichen'
  assert.equal(normaliseEmail(EMAIL_TYPED), EMAIL)
  const salted = concatBytes(label('service/password/1'), label(EMAIL), SALT)
  const passwordSalt = derive.passwordSalt(EMAIL, SALT)
  assert.equal(toHex(passwordSalt), toHex(sha256(salted).subarray(0, 16)))
  const master = await nodeEnvironment.masterOfPassword(password, passwordSalt)
  const rows = [
    ...accountRows(master),
    ...passkeyRows(),
    ...linkRows(),
    ...sharePassphraseRows(),
    ...albumRows(),
    ...dropRows(SHARED_SECRET),
    ...deviceRows(),
    ...streamRows(),
  ]
  return {
    inputs: INPUTS,
    password_salt: [
      {
        name: 'Argon2id’s salt for a password, the first 16 bytes of SHA-256',
        email_typed: EMAIL_TYPED,
        email: EMAIL,
        salt: toHex(SALT),
        message: toHex(salted),
        output: toHex(passwordSalt),
      },
    ],
    passphrase_salt: [passphraseSalt()],
    passphrase_normal: normalPassphrases(),
    passkey_input: passkeyInput(),
    argon2id: [
      {
        name: 'password → master; the ligature enters as NFKC has it, two letters',
        text: password,
        text_nfkc: toHex(utf8(password.normalize('NFKC'))),
        salt: toHex(passwordSalt),
        output: toHex(master),
      },
      {
        name: 'passphrase verifier and proof; the text is in normal form (passphrase_normal)',
        text: 'opensesame',
        text_nfkc: toHex(utf8('opensesame')),
        salt: toHex(derive.passphraseSalt(OPAQUE_ID, LINK_SECRET)),
        output: toHex(
          await nodeEnvironment.passphraseProof(
            normalPassphrase('Open Sesame'),
            derive.passphraseSalt(OPAQUE_ID, LINK_SECRET),
          ),
        ),
      },
    ],
    hkdf_sha512: rows.map(({ name, ikm, salt, info, output }) => ({
      name,
      ikm: toHex(ikm),
      salt: toHex(salt ?? new Uint8Array(0)),
      info: toHex(info),
      length: output.length,
      output: toHex(output),
    })),
    hmac_sha256: deviceMacs(),
  }
}

function deviceMacs() {
  const deviceKey = patternBytes(1984)
  return [
    {
      name: 'device MAC over device_id ‖ public_key; byte i of the public key is i mod 251',
      key: toHex(derive.deviceMacKey(ACCOUNT_KEY, DEVICE_ID)),
      message: toHex(concatBytes(DEVICE_ID, deviceKey)),
      output: toHex(derive.deviceMac(ACCOUNT_KEY, DEVICE_ID, deviceKey)),
    },
  ]
}

/** Each of `typed` gives `normal`, which is written out here and not computed. */
function normalPassphrases() {
  const rows = [
    {
      name: 'a suggested passphrase, as people read, write and paste it',
      typed: ['k7wm-p3xd-9qht-2vnc', 'K7WM P3XD 9QHT 2VNC', 'k7wmp3xd9qht2vnc', ' k7wm‑p3xd – 9qht\u00a02vnc\u200b\n'],
      normal: 'k7wmp3xd9qht2vnc',
    },
    { name: 'a sentence', typed: ['Open Sesame', 'open-sesame', 'OPENSESAME'], normal: 'opensesame' },
    { name: 'composed and wide characters', typed: ['Cafe\u0301', 'CAFÉ', 'Ｃａｆé'], normal: 'caf\u00e9' },
    { name: 'ß, and a sigma at the end of a word', typed: ['Straße ΟΔΟΣ α', 'STRASSE-οδος-Α'], normal: 'strasseοδοσα' },
    { name: 'other characters stay', typed: ['it’s 5_o.clock!'], normal: 'it’s5_o.clock!' },
    { name: 'nothing but spaces and hyphens stays as it is', typed: ['- -'], normal: '- -' },
  ]
  for (const { typed, normal } of rows) for (const text of typed) assert.equal(normalPassphrase(text), normal)
  return rows
}

function passphraseSalt() {
  const message = concatBytes(label('service/passphrase/2'), OPAQUE_ID, LINK_SECRET)
  const output = derive.passphraseSalt(OPAQUE_ID, LINK_SECRET)
  assert.equal(toHex(output), toHex(sha256(message).subarray(0, 16)))
  return {
    name: 'Argon2id’s salt for the passphrase of a link, the first 16 bytes of SHA-256',
    opaque_id: toHex(OPAQUE_ID),
    link_secret: toHex(LINK_SECRET),
    message: toHex(message),
    output: toHex(output),
  }
}

function passkeyInput() {
  const message = label('service/passkey/2')
  assert.equal(toHex(derive.PASSKEY_INPUT), toHex(sha256(message)))
  return {
    name: 'what every passkey evaluates, SHA-256',
    message: toHex(message),
    output: toHex(derive.PASSKEY_INPUT),
  }
}

function passkeyRows(): readonly Row[] {
  return [
    {
      name: 'seed of the key of a passkey',
      ikm: PASSKEY_OUTPUT,
      info: label('service/passkey-sign-in/1'),
      output: derive.passkeySignInSeed(PASSKEY_OUTPUT),
    },
    {
      name: 'wrapping under a passkey',
      ikm: PASSKEY_OUTPUT,
      info: label('service/passkey-wrap/1'),
      output: derive.passkeyWrapKey(PASSKEY_OUTPUT),
    },
  ]
}

function accountRows(master: Uint8Array): readonly Row[] {
  return [
    {
      name: 'seed of the sign-in key',
      ikm: master,
      info: label('service/sign-in/1'),
      output: derive.signInKeySeed(master),
    },
    {
      name: 'account-key wrapping',
      ikm: master,
      info: label('service/account-wrap/1'),
      output: derive.accountWrapKey(master),
    },
    {
      name: 'recovery wrapping',
      ikm: RECOVERY_SECRET,
      info: label('service/recovery-wrap/1'),
      output: derive.recoveryWrapKey(RECOVERY_SECRET),
    },
    {
      name: 'seed of the recovery key',
      ikm: RECOVERY_SECRET,
      info: label('service/recovery-key/1'),
      output: derive.recoveryKeySeed(RECOVERY_SECRET),
    },
  ]
}

function linkRows(): readonly Row[] {
  return [
    {
      name: 'drop key seed',
      ikm: ACCOUNT_KEY,
      salt: OPAQUE_ID,
      info: label('service/drop-key/1'),
      output: derive.dropKeySeed(ACCOUNT_KEY, OPAQUE_ID),
    },
    {
      name: 'link secret',
      ikm: ACCOUNT_KEY,
      salt: OPAQUE_ID,
      info: label('service/link-secret/1'),
      output: LINK_SECRET,
    },
    {
      name: 'link title',
      ikm: LINK_SECRET,
      salt: OPAQUE_ID,
      info: label('service/link-title/1'),
      output: derive.linkTitleKey(LINK_SECRET, OPAQUE_ID),
    },
  ]
}

function sharePassphraseRows(): readonly Row[] {
  const [shareKey, stretched] = [SHARE_KEY, STRETCHED]
  const inputs = { shareKey, stretched, opaqueId: OPAQUE_ID }
  const ikm = concatBytes(shareKey, stretched)
  return [
    {
      name: 'Argon2id’s salt for the passphrase of a share',
      ikm: shareKey,
      salt: OPAQUE_ID,
      info: label('service/share-salt/1'),
      output: derive.sharePassphraseSalt(shareKey, OPAQUE_ID),
    },
    {
      name: 'proof of the passphrase of a share',
      ikm,
      salt: OPAQUE_ID,
      info: label('service/share-proof/1'),
      output: derive.sharePassphraseProof(inputs),
    },
    {
      name: 'key of the index of a share with a passphrase',
      ikm,
      salt: OPAQUE_ID,
      info: label('service/share-key/1'),
      output: derive.sharePassphraseKey(inputs),
    },
  ]
}

function albumRows(): readonly Row[] {
  const album = derive.albumKey(ACCOUNT_KEY, ALBUM_ID, 1)
  return [
    {
      name: 'album key, amk_version 1',
      ikm: ACCOUNT_KEY,
      salt: ALBUM_ID,
      info: concatBytes(label('service/album/1'), uint32be(1)),
      output: album,
    },
    {
      name: 'album key, amk_version 258',
      ikm: ACCOUNT_KEY,
      salt: ALBUM_ID,
      info: concatBytes(label('service/album/1'), Uint8Array.of(0, 0, 1, 2)),
      output: derive.albumKey(ACCOUNT_KEY, ALBUM_ID, 258),
    },
    {
      name: 'asset K, derived',
      ikm: album,
      salt: FILE_ID,
      info: label('service/asset/1'),
      output: derive.assetKey(album, FILE_ID),
    },
    {
      name: 'wrapping of an adopted drop’s K',
      ikm: album,
      salt: FILE_ID,
      info: label('service/asset-wrap/1'),
      output: derive.assetWrapKey(album, FILE_ID),
    },
  ]
}

function dropRows(sharedSecret: Uint8Array): readonly Row[] {
  const linkSecret = derive.linkSecret(ACCOUNT_KEY, OPAQUE_ID)
  const { publicKey: dropPublicKey } = keyPairFromSeed(derive.dropKeySeed(ACCOUNT_KEY, OPAQUE_ID))
  const kemCt = patternBytes(1120)
  return [
    {
      name: 'drop K',
      ikm: concatBytes(sharedSecret, linkSecret),
      salt: OPAQUE_ID,
      info: concatBytes(label('service/drop/1'), sha256(dropPublicKey), sha256(kemCt)),
      output: derive.dropKey({ sharedSecret, linkSecret, opaqueId: OPAQUE_ID, dropPublicKey, kemCt }),
    },
  ]
}

function deviceRows(): readonly Row[] {
  return [
    {
      name: 'device record MAC key',
      ikm: ACCOUNT_KEY,
      salt: DEVICE_ID,
      info: label('service/device/1'),
      output: derive.deviceMacKey(ACCOUNT_KEY, DEVICE_ID),
    },
  ]
}

function streamRows(): readonly Row[] {
  const stream = derive.streamSecrets({ key: BLOB_KEY, salt: SALT, purpose: 'original', contextId: OPAQUE_ID })
  const small = derive.streamSecrets({
    key: BLOB_KEY,
    salt: SALT,
    purpose: 'account-key',
    contextId: derive.NO_CONTEXT,
  })
  return [
    {
      name: 'blob stream of an original: key, nonce prefix, commitment',
      ikm: BLOB_KEY,
      salt: SALT,
      info: concatBytes(label('service/stream/1'), label('original'), OPAQUE_ID),
      output: concatBytes(stream.key, stream.noncePrefix, stream.commitment),
    },
    {
      name: 'blob stream of an account key: key, nonce prefix, commitment',
      ikm: BLOB_KEY,
      salt: SALT,
      info: concatBytes(label('service/stream/1'), label('account-key'), new Uint8Array(16)),
      output: concatBytes(small.key, small.noncePrefix, small.commitment),
    },
  ]
}
