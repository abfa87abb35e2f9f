/**
 * An honest server with a public address, and a malicious one that passes what it receives on to the honest one.
 * Clients reach both by their public names; only `fetch` knows that they are processes of this machine.
 */
import { createHash } from 'node:crypto'
import { after, afterEach } from 'node:test'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { startServer } from '../../../../testing/startServer.ts'
import { startTamperingProxy, type TamperingProxy } from '../../../../testing/tamperingProxy.ts'
import { type Environment, systemEnvironment } from '../ground/environment.ts'

export const HONEST = 'https://keep.example'
export const MALICIOUS = 'https://other.example'

export interface TwoServers {
  /** In front of the honest server. */
  readonly honest: TamperingProxy
  /** Answers as the honest server does, but for what the test tampers with. */
  readonly malicious: TamperingProxy
  /** Knows both servers. Argon2id is replaced by a fast hash that counts: the tests are about its inputs. */
  readonly environment: Environment
  /** How many passwords were derived so far. */
  derivations(): number
}

const quickly = (text: string, salt: Uint8Array) =>
  new Uint8Array(createHash('sha256').update(salt).update(text).digest())

/** Call it at the top of a test file. */
export async function startTwoServers(): Promise<TwoServers> {
  const [honest, malicious] = [await startTamperingProxy(), await startTamperingProxy()]
  const server = await startServer({ publicUrl: HONEST, env: { REGISTRATION: 'open' } })
  for (const proxy of [honest, malicious]) proxy.forwardTo(server.url)
  afterEach(() => {
    honest.tamper()
    malicious.tamper()
  })
  after(async () => {
    await server.stop()
    await Promise.all([honest.close(), malicious.close()])
  })
  let derivations = 0
  return {
    honest,
    malicious,
    derivations: () => derivations,
    environment: {
      ...systemEnvironment,
      fetch: (input, init) => fetch(String(input).replace(HONEST, honest.url).replace(MALICIOUS, malicious.url), init),
      masterOfPassword: async (password, salt) => {
        derivations += 1
        return quickly(password, salt)
      },
      passphraseProof: async (passphrase, salt) => quickly(passphrase, salt),
    },
  }
}

export const atServerInfo = isRequest('GET', /^\/\.well-known\/service\/server-info$/)

/** Server-info with other values. */
export const serverInfoWith = (members: Readonly<Record<string, string>>) => ({
  matches: atServerInfo,
  answer: changeBody((body) => void Object.assign(body, members)),
})
