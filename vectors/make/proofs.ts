/** Proofs: the message that is signed for each operation that proves, and what no server may take for one. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { concatBytes, fromHex, toBase64, toHex } from '@blindkeep/protocol/bytes'
import { type OperationName, operations } from '@blindkeep/protocol/operations'
import { type ProvedRequest, proofMessage } from '@blindkeep/protocol/proof'
import { passkeySignInSeed, recoveryKeySeed, signInKeySeed } from '../../packages/client/src/seal/derive.ts'
import { uuidOf } from '../../packages/client/src/seal/newId.ts'
import * as inputs from './inputs.ts'

type Members = Readonly<Record<string, string | number | null>>
type Signer = keyof typeof KEYS

const base64 = (first: number, count: number) => toBase64(inputs.rising(first, count))
const NONCE = base64(0x08, 56)
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n

/** OpenSSL signs here, and noble's in the client. */
function keyOf(seed: Uint8Array) {
  const der = concatBytes(fromHex('302e020100300506032b657004220420'), seed)
  const privateKey = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { seed, privateKey, publicKey: Uint8Array.from(spki.subarray(-32)) }
}

const KEYS = {
  sign_in: keyOf(signInKeySeed(inputs.STRETCHED)),
  new_sign_in: keyOf(signInKeySeed(inputs.BLOB_KEY)),
  recovery: keyOf(recoveryKeySeed(inputs.RECOVERY_SECRET)),
  passkey: keyOf(passkeySignInSeed(inputs.PASSKEY_OUTPUT)),
} as const

const publicOf = (signer: Signer) => toBase64(KEYS[signer].publicKey)
const ofPassword = { kdf_version: 1, salt: base64(0xa0, 16), sealed_account_key: base64(0x30, 90) }
const code = '123456'

/** One for each operation that proves, with every member that its body may have. */
const REQUESTS: readonly (readonly [OperationName, Signer, Members])[] = [
  [
    'register',
    'sign_in',
    {
      email: inputs.EMAIL,
      ...ofPassword,
      sealed_recovery_key: base64(0x50, 90),
      recovery_key: publicOf('recovery'),
      invite: 'K7WM-P3XD',
    },
  ],
  ['login', 'sign_in', { email: inputs.EMAIL, device_id: uuidOf(inputs.DEVICE_ID) }],
  ['finishRecovery', 'recovery', { email: inputs.EMAIL, sign_in_key: publicOf('new_sign_in'), ...ofPassword }],
  ['changePassword', 'sign_in', { code, sign_in_key: publicOf('new_sign_in'), ...ofPassword }],
  [
    'changeRecoveryWords',
    'sign_in',
    { code, sealed_recovery_key: base64(0x51, 90), recovery_key: publicOf('recovery') },
  ],
  ['confirmRecoveryWords', 'recovery', {}],
  ['deleteAccount', 'sign_in', { code }],
  ['enrollTotp', 'sign_in', {}],
  ['disableTotp', 'sign_in', { code }],
  ['renewBackupCodes', 'sign_in', { code }],
  [
    'addPasskey',
    'sign_in',
    {
      code,
      passkey_id: uuidOf(inputs.PASSKEY_ID),
      credential_id: base64(0x70, 20),
      passkey_key: publicOf('passkey'),
      sealed_passkey_key: base64(0x90, 90),
      sealed_name: base64(0x91, 60),
    },
  ],
  ['passkeyLogin', 'passkey', { passkey_id: uuidOf(inputs.PASSKEY_ID), device_id: uuidOf(inputs.DEVICE_ID) }],
]

function requestOf(name: OperationName, members: Members) {
  const { method, path } = operations[name]
  return { operation: { method, path }, serverId: inputs.SERVER_ID, nonce: NONCE, members }
}

const signed = (request: ProvedRequest, signer: Signer) =>
  new Uint8Array(sign(undefined, proofMessage(request), KEYS[signer].privateKey))

/** As a reader gets it: the request, and the proof for it. */
function described(request: ProvedRequest, key: Uint8Array, signature: Uint8Array) {
  const { operation, serverId, nonce, members } = request
  return {
    ...operation,
    server_id: serverId,
    members,
    proof: { key: toBase64(key), nonce, signature: toBase64(signature) },
  }
}

function valid() {
  const typed = [
    ['an e-mail as it was typed: its bytes, not its normalised form', { email: inputs.EMAIL_TYPED }],
    ['a member that is null, as one that is absent', { email: inputs.EMAIL, device_id: null }],
  ] as const
  const requests = [
    ...REQUESTS.map(([name, signer, members]) => ({ name: name as string, signer, request: requestOf(name, members) })),
    ...typed.map(([name, members]) => ({ name, signer: 'sign_in' as const, request: requestOf('login', members) })),
  ]
  return requests.map(({ name, signer, request }) => ({
    name,
    ...described(request, KEYS[signer].publicKey, signed(request, signer)),
    message: toHex(proofMessage(request)),
  }))
}

/** Each has the signature of `changePassword` above, and one thing of the request or the proof is another. */
function altered() {
  const members = REQUESTS.find(([name]) => name === 'changePassword')?.[2] ?? {}
  const request = requestOf('changePassword', members)
  const { sign_in_key: _, ...fewer } = members
  const { salt, ...unsalted } = members
  const { path } = request.operation
  const requests = {
    'another method': { operation: { method: 'DELETE', path } },
    'another path': { operation: { method: 'POST', path: '/v1/auth/totp/disable' } },
    'a path with the base path of the server': { operation: { method: 'POST', path: `/files${path}` } },
    'another server': { serverId: inputs.OTHER_SERVER_ID },
    'the server without TLS': { serverId: 'http://keep.example' },
    'another nonce': { nonce: base64(0x09, 56) },
    'another new key': { members: { ...members, sign_in_key: publicOf('passkey') } },
    'another code': { members: { ...members, code: '123457' } },
    'a member less': { members: fewer },
    'a member more': { members: { ...members, invite: 'K7WM-P3XD' } },
    'a member under another name': { members: { ...unsalted, salts: salt ?? '' } },
    'two members whose values have changed places': {
      members: { ...members, salt: members.sealed_account_key ?? '', sealed_account_key: members.salt ?? '' },
    },
  }
  const [key, signature] = [KEYS.sign_in.publicKey, signed(request, 'sign_in')]
  const flipped = signature.map((byte, index) => (index === 0 ? byte ^ 1 : byte))
  return [
    ...Object.entries(requests).map(([name, change]) => ({
      name,
      ...described({ ...request, ...change }, key, signature),
    })),
    { name: 'another key', ...described(request, KEYS.passkey.publicKey, signature) },
    { name: 'another bit of the signature', ...described(request, key, flipped) },
    { name: 'S of the signature and the order of the base point', ...described(request, key, withOrder(signature)) },
  ]
}

/** The same signature for a verifier that does not ask whether S is below the order. */
function withOrder(signature: Uint8Array): Uint8Array {
  return concatBytes(signature.subarray(0, 32), littleEndian(numberOf(signature.subarray(32)) + L))
}

const numberOf = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes.toReversed())}`)
const littleEndian = (number: bigint) => fromHex(number.toString(16).padStart(64, '0')).toReversed()

/** The y of the points whose order is 8 or less, each in the encodings that a reader may take for it. */
const WEAK = [
  '01'.padEnd(64, '0'),
  '00'.repeat(32),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]

/**
 * Keys that all know: without a private key, R = the neutral element and S = 0 verify for a message whose hash is a
 * multiple of 8. Here it is, for a verifier that knows no rule about keys and decodes every y.
 */
function weak() {
  const signature = new Uint8Array(64)
  signature[0] = 1
  return WEAK.flatMap((hex) =>
    [0, 0x80].map((sign) => {
      const key = fromHex(hex)
      key[31] = (key[31] ?? 0) | sign
      for (let count = 0; ; count++) {
        const request = requestOf('login', { email: `ada${count}@example.org` })
        const hash = createHash('sha512').update(signature.subarray(0, 32)).update(key).update(proofMessage(request))
        if ((numberOf(hash.digest()) % L) % 8n === 0n)
          return { name: `a key of small order, ${toHex(key)}`, ...described(request, key, signature) }
      }
    }),
  )
}

export function proofVectors() {
  return {
    keys: Object.entries(KEYS).map(([name, { seed, publicKey }]) => ({
      name,
      seed: toHex(seed),
      public_key: toHex(publicKey),
      stored: createHash('sha256').update(publicKey).digest('hex'),
    })),
    valid: valid(),
    invalid: [...altered(), ...weak()],
  }
}
