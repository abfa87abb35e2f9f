/** A real name server on loopback, as far as addresses go (RFC 1035, RFC 3596). */
import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'

export interface NameServer {
  /** As `dns.Resolver.setServers` takes it. */
  readonly address: string
  /** `name type` of each question. */
  readonly asked: string[]
  close(): Promise<void>
}

const HEADER_BYTES = 12
const TYPES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 }
/** A standard answer, recursion available; with the code for a name that does not exist. */
const [ANSWER, NO_SUCH_NAME] = [0x8180, 0x8183]

/** Each name with all of its addresses. */
export async function openNameServer(names: Readonly<Record<string, readonly string[]>>): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = questionIn(question)
    asked.push(`${name} ${type}`)
    const known = names[name.toLowerCase()]
    const records = (known ?? []).filter((each) => isIP(each) === TYPES[type]).map((each) => recordOf(each, type))
    const header = Buffer.alloc(HEADER_BYTES)
    question.copy(header, 0, 0, 2)
    header.writeUInt16BE(known === undefined ? NO_SUCH_NAME : ANSWER, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...records]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function questionIn(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function recordOf(address: string, type: number): Buffer {
  const data = isIP(address) === 6 ? bytesOfSix(address) : Buffer.from(address.split('.').map(Number))
  const record = Buffer.alloc(12)
  // The name of the question.
  record.writeUInt16BE(0xc000 + HEADER_BYTES, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

/** Without a dotted part at its end. */
function bytesOfSix(address: string): Buffer {
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex')
}
