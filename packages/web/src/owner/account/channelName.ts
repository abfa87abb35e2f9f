/** A channel with a URL in a list: two at one host look different. The URL is a secret, and never returned. */

const SHOWN_CHARACTERS = 4

/** `ntfy.sh/fami…`: the host, and how the last part of the path begins. Undefined for what is no URL. */
export function channelNameOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { host, pathname } = new URL(address)
  const last = pathname.split('/').findLast((part) => part !== '')
  if (host === '' || last === undefined) return undefined
  return `${host}/${last.length > SHOWN_CHARACTERS ? `${last.slice(0, SHOWN_CHARACTERS)}…` : last}`
}
