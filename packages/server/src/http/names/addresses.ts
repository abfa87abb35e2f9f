/** IP addresses in one spelling each, so that one machine cannot count as several. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

export interface Address {
  /** IPv4 as four decimal numbers; IPv6 as eight groups of lowercase hex without leading zeros, without a zone. */
  readonly text: string
  readonly family: 'ipv4' | 'ipv6'
}

/** More than the longest spelling of an IPv6 address with a zone. */
const MAX_ADDRESS_CHARACTERS = 64

/** An address alone; IPv6 that stands for IPv4 (RFC 4291, section 2.5.5.2) is that. Undefined otherwise. */
export function addressOf(text: string): Address | undefined {
  if (text.length > MAX_ADDRESS_CHARACTERS) return undefined
  if (isIPv4(text)) return { text, family: 'ipv4' }
  if (!isIPv6(text)) return undefined
  const groups = groupsOf(text)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return { text: [high >> 8, high & 255, low >> 8, low & 255].join('.'), family: 'ipv4' }
  return { text: groups.map((group) => group.toString(16)).join(':'), family: 'ipv6' }
}

/** Eight numbers of 16 bits. */
function groupsOf(ipv6: string): readonly number[] {
  const [plain = ''] = ipv6.split('%')
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').flatMap(numbersOf))
  return tail === undefined ? head : [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

/** One group, or an IPv4 address at the end of an IPv6 address: two groups. */
function numbersOf(part: string): readonly number[] {
  if (part === '') return []
  if (!part.includes('.')) return [Number.parseInt(part, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

/** What X-Forwarded-For and Host name: an address, perhaps with a port; IPv6 with a port is in brackets. */
export function endpointOf(text: string): Address | undefined {
  const bracketed = /^\[([^\][]*)\](?::\d{1,5})?$/.exec(text)
  if (bracketed !== null) return ipv6Of(bracketed[1] ?? '')
  return addressOf(text) ?? addressOf(text.replace(/:\d{1,5}$/, ''))
}

function ipv6Of(text: string): Address | undefined {
  return isIPv6(text) ? addressOf(text) : undefined
}

export interface Networks {
  has(address: Address): boolean
}

/** From addresses and networks in CIDR notation, as the settings have checked them. */
export function networksOf(given: readonly string[]): Networks {
  const list = new BlockList()
  for (const each of given) {
    const [text = '', length] = each.split('/')
    const address = addressOf(text)
    if (address === undefined) throw new Error(`${text} is not an IP address`)
    const isMapped = address.family === 'ipv4' && isIPv6(text)
    const bits = address.family === 'ipv4' ? 32 : 128
    // The first 96 bits of a mapped address are those of all of them.
    const prefix = length === undefined ? bits : Math.max(0, Number(length) - (isMapped ? 96 : 0))
    list.addSubnet(address.text, prefix, address.family)
  }
  return { has: ({ text, family }) => list.check(text, family) }
}

const LOOPBACK = networksOf(['127.0.0.0/8', '::1'])

/** Whether `host` names, to each machine, that machine: a name in lower case, or an address, in brackets or without. */
export function isLoopback(host: string): boolean {
  const address = endpointOf(host)
  return address === undefined ? host === 'localhost' : LOOPBACK.has(address)
}

/** Addresses that many clients may share: a proxy's own, or one of a private network. */
export const SHARED = networksOf([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
])
