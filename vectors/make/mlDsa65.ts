import { toHex, utf8 } from '@blindkeep/protocol/bytes'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { patternBytes, rising } from './inputs.ts'

export async function mlDsa65Vectors() {
  const seed = rising(0x80, 32)
  const { publicKey, secretKey } = ml_dsa65.keygen(seed)
  const message = utf8('what a receipt would say')
  const signature = ml_dsa65.sign(message, secretKey, { extraEntropy: false })
  const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
  const verification = (
    name: string,
    isValid: boolean,
    changes: { message?: Uint8Array; signature?: Uint8Array } = {},
  ) => ({
    name,
    message: toHex(changes.message ?? message),
    signature: toHex(changes.signature ?? signature),
    valid: isValid,
  })
  return {
    accumulated: {
      name: 'C2SP CCTV, ML-DSA/accumulated, ML-DSA-65: SHAKE128 over all public keys and deterministic signatures',
      iterations: 100,
      result: '8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199',
    },
    seed: toHex(seed),
    public_key: toHex(publicKey),
    vectors: [
      verification('made by @noble/post-quantum, verified by OpenSSL', true),
      verification('a message with one bit flipped', false, { message: flipped(message, 3) }),
      verification('a challenge hash with one bit flipped', false, { signature: flipped(signature, 0) }),
      verification('a response with one bit flipped', false, { signature: flipped(signature, 1500) }),
      verification('a hint with one bit flipped', false, { signature: flipped(signature, 3308) }),
      verification('a signature one byte short', false, { signature: signature.subarray(0, 3308) }),
      verification('a signature one byte long', false, { signature: patternBytes(3310) }),
    ],
  }
}
