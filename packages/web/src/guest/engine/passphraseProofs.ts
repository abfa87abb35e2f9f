import type { Environment } from '@blindkeep/client/environment'

/** Makes each passphrase's proof once: it takes a second, and a hundred files need the same one. */
export function withCachedProofs(environment: Environment): Environment {
  const proofs = new Map<string, ReturnType<Environment['passphraseProof']>>()
  return {
    ...environment,
    passphraseProof(text, salt, options) {
      const proof = proofs.get(text) ?? environment.passphraseProof(text, salt, options)
      proofs.set(text, proof)
      return proof
    },
  }
}
