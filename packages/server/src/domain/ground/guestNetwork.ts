/**
 * What shares (of a link, of the memory for requests, of connections, of new accounts) count as one guest: an IPv4
 * address or an IPv6 /48. A source is a /64 (http/names/source.ts), but one subscriber often has 65,536 of them, so
 * four of them must not hold all. Undefined where the source is unknown.
 */
export function networkOf(source: string | undefined): string | undefined {
  if (source === undefined || !source.endsWith('::/64')) return source
  return `${source.split(':').slice(0, 3).join(':')}::/48`
}

/** One network holds at most a quarter of what a link has for all its guests. */
export function shareOf(max: number): number {
  return Math.ceil(max / 4)
}
