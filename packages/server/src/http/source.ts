import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'

const shared = new BlockList()
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  shared.addSubnet(network, prefix, 'ipv4')
}
shared.addAddress('::1', 'ipv6')
shared.addSubnet('fc00::', 7, 'ipv6')
shared.addSubnet('fe80::', 10, 'ipv6')

/**
 * What limits by address count: an IPv4 address or an IPv6 /64. Undefined for a loopback or private peer, because it may be a proxy for
 * many clients, unless a trusted proxy has named the address.
 */
export function sourceOf(address: string, isProxyTrusted: boolean): string | undefined {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const isV6 = isIPv6(plain)
  if (!isProxyTrusted && shared.check(plain, isV6 ? 'ipv6' : 'ipv4')) return undefined
  return isV6 ? network64(plain) : plain
}

function network64(address: string): string {
  const [plain = ''] = address.split('%')
  const [head = '', tail] = plain.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const tailGroups = groups(tail ?? '')
  const missing = tail === undefined ? 0 : 8 - groups(head).length - tailGroups.length
  const all = [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...tailGroups]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`
}

/** Whether a header says that a proxy forwarded the request. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'].some(
    (name) => headers[name] !== undefined,
  )
}
