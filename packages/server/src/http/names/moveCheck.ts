/** Looks before a move to another address: whether the new one leads to this machine, and the old one to a server. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { SERVICE } from '@blindkeep/protocol/wire'
import { ask } from './asking.ts'
import { createNaming } from './hosts.ts'

interface Listening {
  /** Where the server will listen. */
  readonly host: string
  readonly port: number
}

interface Addresses {
  /** The whole address that the server will have, without a slash at its end. */
  readonly publicUrl: string
  /** Whole addresses that it will have had. */
  readonly formerUrls: readonly string[]
}

export interface MoveCheck {
  /** What is wrong with the new address: a sentence for people. Undefined if it leads here. */
  faultInNew(addresses: Addresses): Promise<string | undefined>
  close(): Promise<void>
}

/** Listens in the server's place. Everything but the one path that is asked for gets a 503. Rejects if it cannot. */
export async function openMoveCheck({ host, port }: Listening): Promise<MoveCheck> {
  const path = `/.well-known/${SERVICE}/move-check/${randomBytes(16).toString('hex')}`
  // Not in the question: a page that repeats what it was asked for is not this machine.
  const word = randomBytes(16).toString('hex')
  let seen: IncomingMessage | undefined
  const server = createServer((request, response) => {
    const isAsked = request.url?.split('?')[0]?.endsWith(path) === true
    if (isAsked) seen = request
    response.writeHead(isAsked ? 200 : 503, { 'cache-control': 'no-store', 'content-type': 'text/plain' })
    response.end(isAsked ? word : 'This server is being moved to another address.\n')
  })
  await once(server.listen(port, host), 'listening')
  return {
    async faultInNew({ publicUrl, formerUrls }) {
      const fault = await faultAt(publicUrl + path, word)
      if (fault !== undefined) return `${publicUrl} does not lead here: ${fault}.`
      const named = seen === undefined ? 'own' : createNaming(publicUrl, formerUrls)(seen)
      return named.startsWith('former')
        ? `the proxy at ${publicUrl} names an address that the server leaves as Host, "${seen?.headers.host}", and its pages would lead to themselves: let it pass on the Host of the request.`
        : undefined
    },
    close: () => closed(server),
  }
}

async function faultAt(url: string, word: string): Promise<string | undefined> {
  const answer = await ask(url)
  if ('silence' in answer) return answer.silence
  const { status, location, body } = answer
  if (status >= 300 && status < 400) return `it redirects to ${location ?? 'nowhere'}`
  if (status >= 500) return `what answers there says ${status}, as a proxy does that leads elsewhere or nowhere`
  if (status !== 200) return `what answers there says ${status}`
  return body === word ? undefined : 'something else answers there'
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

/**
 * Whether a server answers at the address, given whole, that publishes one of these keys: one on a copy of this data,
 * also if one of the two has changed its key since, as each restore does.
 */
export async function isServedAt(publicUrl: string, keyIds: readonly string[]): Promise<boolean> {
  const answer = await ask(`${publicUrl}/.well-known/${SERVICE}/attestation-keys`)
  return 'body' in answer && keysIn(answer.body).some((id) => keyIds.includes(String(id)))
}

function keysIn(body: string): readonly unknown[] {
  try {
    const { keys } = Object(JSON.parse(body))
    return Array.isArray(keys) ? keys.map((key) => Object(key).key_id) : []
  } catch {
    return []
  }
}
