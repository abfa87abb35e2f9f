import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { equalBytes } from '@blindkeep/protocol/bytes'
import { assembleCose } from '@blindkeep/protocol/cose'
import { joinHybridPublicKey } from '@blindkeep/protocol/keys'
import { publicBytes, SEED_BYTES, signingKey, signMessage } from '../../ground/signatures.ts'
import { type AttestationSigner, type Keyring, WrongMasterSecret } from '../../ports/keyring.ts'
import { readMasterSecret } from './masterSecret.ts'
import { createPushSigner } from './pushSigner.ts'
import { signOnThread } from './receiptThread.ts'
import { open, seal } from './sealing.ts'
import { createTokenSigner } from './tokens.ts'

const KEY_BYTES = 32

/** The names under which keys are sealed. They are part of the stored form and never change. */
const ATTESTATION_KEY = 'attestation-key'
const TOKEN_KEY = 'token-key'

/**
 * Opens a keyring under the master secret in `masterSecretFile`. Throws an `Error` that tells the operator what to
 * do if the file is missing and `createIfMissing` is false, if others may read it, or if it is not 32 bytes as
 * base64 or hex.
 */
export async function openKeyring(options: {
  readonly masterSecretFile: string
  readonly createIfMissing: boolean
}): Promise<Keyring> {
  const masterSecret = await readMasterSecret({
    path: options.masterSecretFile,
    createIfMissing: options.createIfMissing,
  })
  // HKDF with SHA-512 (RFC 5869), without a salt, because the master secret is uniformly random.
  const derived = (label: string) =>
    new Uint8Array(hkdfSync('sha512', masterSecret, new Uint8Array(), `service/server/${label}/1`, KEY_BYTES))
  const sealingKey = derived('seal')
  const refuse = (): never => {
    throw new WrongMasterSecret(resolve(options.masterSecretFile))
  }
  const keyring: Keyring = {
    seal: (name, secret) => seal(sealingKey, name, secret),
    open: (name, sealed) => open(sealingKey, name, sealed) ?? refuse(),
    mac: (purpose, bytes) =>
      createHmac('sha512', derived(`mac/${purpose}`))
        .update(bytes)
        .digest(),
    createAttestationKey() {
      const seeds = randomBytes(2 * SEED_BYTES)
      return { publicKey: openSeeds(seeds).publicKey, sealedPrivateKey: keyring.seal(ATTESTATION_KEY, seeds) }
    },
    openAttestationKey({ publicKey, sealedPrivateKey }) {
      const seeds = keyring.open(ATTESTATION_KEY, sealedPrivateKey)
      const opened = seeds.length === 2 * SEED_BYTES ? openSeeds(seeds) : refuse()
      // A receipt signed by another key than the published one never verifies, and an owner would notice only when the
      // receipt is needed.
      return equalBytes(opened.publicKey, publicKey) ? opened.signer : refuse()
    },
    createTokenKey: () => keyring.seal(TOKEN_KEY, randomBytes(SEED_BYTES)),
    openTokenKey: (sealed) => createTokenSigner(keyring.open(TOKEN_KEY, sealed)),
    pushSigner: createPushSigner(masterSecret),
  }
  return keyring
}

/** `seeds` is Ed25519's 32 bytes ‖ ML-DSA-65's 32 bytes. */
function openSeeds(seeds: Uint8Array): { readonly publicKey: Uint8Array; readonly signer: AttestationSigner } {
  const ed25519 = signingKey('ed25519', seeds.subarray(0, SEED_BYTES))
  const mlDsa65 = signingKey('ml-dsa-65', seeds.subarray(SEED_BYTES))
  return {
    publicKey: joinHybridPublicKey({ ed25519: publicBytes(ed25519), mlDsa65: publicBytes(mlDsa65) }),
    signer: {
      receipts: (payloads, keyId) => signOnThread({ ed25519, mlDsa65, payloads, keyId }),
      sign: (toBeSigned) =>
        assembleCose(toBeSigned, {
          ed25519: signMessage(ed25519, toBeSigned.ed25519),
          mlDsa65: signMessage(mlDsa65, toBeSigned.mlDsa65),
        }),
    },
  }
}
