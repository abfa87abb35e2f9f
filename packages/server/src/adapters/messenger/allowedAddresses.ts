/** Which IP addresses the server may send to when an owner has named the receiver. */
import { BlockList, isIP } from 'node:net'

/** The special-purpose registry of IPv4 (RFC 6890 and its updates), with multicast and what is reserved. */
const FORBIDDEN_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** All IPv6 of hosts: without loopback, link-local, multicast, unique local and mapped addresses, and NAT64. */
const GLOBAL_V6 = '2000::/3'

/** Of it, what tunnels or translates to IPv4 (Teredo, 6to4), special purposes, and documentation. */
const FORBIDDEN_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

export interface AllowedAddresses {
  /** A public one, or one of the operator's networks. */
  isAllowed(address: string): boolean
  /** One of the networks that the operator has named. */
  isNamed(address: string): boolean
}

/** `networks`: addresses and networks in CIDR notation that are allowed besides public ones. */
export function createAllowedAddresses(networks: readonly string[]): AllowedAddresses {
  const [forbidden, global, named] = [
    blockList([...FORBIDDEN_V4, ...FORBIDDEN_V6]),
    blockList([GLOBAL_V6]),
    blockList(networks),
  ]
  const isIn = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  /** IPv4 inside IPv6 is never allowed, whatever the networks: no receiver needs it, and `check` looks through it. */
  const isMapped = (address: string) => isIP(address) === 6 && isIn(MAPPED, address)
  // A zone names an interface, and no public address has one.
  const familyOf = (address: string) => (address.includes('%') ? 0 : isIP(address))

  function isNamed(address: string): boolean {
    return familyOf(address) !== 0 && !isMapped(address) && isIn(named, address)
  }

  return {
    isNamed,
    isAllowed(address) {
      const family = familyOf(address)
      if (family === 0) return false
      if (isNamed(address)) return true
      if (family === 6 && (isMapped(address) || !isIn(global, address))) return false
      return !isIn(forbidden, address)
    },
  }
}

const MAPPED = blockList(['::ffff:0:0/96'])

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length), family)
  }
  return list
}
