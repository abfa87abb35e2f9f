import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import { pageFetch } from '../../common/address/localPage.ts'
import { deriveInWorker } from '../../common/hashing/argon2.ts'
import { createFileHash } from './fileHash.ts'
import type { Gate } from './sessionTab.ts'

/** The browser's environment, with the slow derivations and the hashes of large files in workers. */
export function pageEnvironment(gate: Gate): Environment {
  return {
    ...systemEnvironment,
    fetch: (input, init) =>
      gate.isClosed
        ? Promise.reject(new TypeError('the session has moved to another tab'))
        : pageFetch(input, gate.isLeaving ? { ...init, keepalive: true } : init),
    createFileHash,
    masterOfPassword: (text, salt, options) => deriveInWorker({ kind: 'password', text, salt }, options),
    passphraseProof: (text, salt, options) => deriveInWorker({ kind: 'passphrase', text, salt }, options),
  }
}
