/** Whether DNS leads browsers elsewhere by HTTPS records (RFC 9460), for which Node's resolver has no question. */
import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { shown } from '@blindkeep/protocol/terminalText'

const TYPE = 65
const WAIT_MS = 2000
const MAX_JUMPS = 16
/** Of a name (RFC 1035, section 2.3.4), and of the records that a person is shown. */
const MAX_NAME_LENGTH = 255
const MAX_RECORDS = 8

/** For people; undefined without a record, without a resolver, and for what is no name in DNS. */
export async function httpsRecordOf(baseUrl: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(baseUrl)
  const [server] = getServers()
  const isName = isIP(hostname) === 0 && hostname.includes('.') && !hostname.startsWith('[')
  if (protocol !== 'https:' || !isName || server === undefined) return undefined
  return await askResolver(port === '' ? hostname : `_${port}._https.${hostname}`, server)
}

/** @param server a resolver, with a port if it is not 53 */
export async function askResolver(name: string, server: string): Promise<string | undefined> {
  const [, address = server, port = '53'] = /^\[?(.*?)\]?:(\d+)$/.exec(isIP(server) === 0 ? server : '') ?? []
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  try {
    socket.connect(Number(port), address)
    await once(socket, 'connect')
    socket.send(questionFor(name))
    const [message]: Buffer[] = await once(socket, 'message', { signal: AbortSignal.timeout(WAIT_MS) })
    const records = message === undefined ? [] : parseHttpsRecords(message)
    return records.length === 0 ? undefined : `DNS has an HTTPS record for ${name}: ${shown(records.join('; '))}`
  } catch {
    return undefined
  } finally {
    socket.close()
  }
}

/** The socket takes messages of this resolver only, so the id says nothing. */
function questionFor(name: string): Buffer {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)])
  // Recursion is wanted; one question.
  return Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, TYPE, 0, 1])
}

/** The HTTPS records in an answer of a resolver: priority and target of each. Throws `RangeError` for broken ones. */
export function parseHttpsRecords(message: Uint8Array): readonly string[] {
  const view = Buffer.from(message)
  const [questions, answers] = [view.readUInt16BE(4), view.readUInt16BE(6)]
  let at = 12
  for (let index = 0; index < questions; index++) at = nameAt(view, at).end + 4
  const records: string[] = []
  for (let index = 0; index < answers && records.length < MAX_RECORDS; index++) {
    const { end } = nameAt(view, at)
    const [type, length] = [view.readUInt16BE(end), view.readUInt16BE(end + 8)]
    at = end + 10 + length
    if (at > view.length) throw new RangeError('the record ends too early')
    if (type !== TYPE) continue
    const target = nameAt(view, end + 12).name
    records.push(`priority ${view.readUInt16BE(end + 10)}, ${target === '' ? 'the same name' : target}`)
  }
  return records
}

function nameAt(view: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let [at, end, total] = [start, -1, 0]
  for (let jumps = 0; jumps <= MAX_JUMPS; ) {
    const length = view.readUInt8(at)
    if (length === 0) return { name: labels.join('.'), end: end === -1 ? at + 1 : end }
    if (length >= 0xc0) {
      if (end === -1) end = at + 2
      at = view.readUInt16BE(at) & 0x3fff
      jumps += 1
    } else {
      total += length + 1
      if (at + 1 + length > view.length || total > MAX_NAME_LENGTH) throw new RangeError('the name ends too early')
      labels.push(view.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
  }
  throw new RangeError('the name has no end')
}
