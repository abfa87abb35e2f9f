/** A link or a share of others, as local pages have it: its address in their memory, its server's keys here. */
import { pin, pinsOf } from '../home/pins.ts'
import type { Shown } from './localServer.ts'
import { type Memory, seenByPage } from './memory.ts'
import type { AskedOperation } from './operationAt.ts'

/** SECRET: it opens the link or the share. */
export interface GivenAddress {
  readonly is: 'link' | 'share'
  /** The server's public URL. */
  readonly server: string
  readonly opaqueId: string
  readonly fragment: string
  /** Servers have seen the fragment. */
  readonly isExposed: boolean
}

/** `home`: where the keys of servers are remembered, for commands and pages alike. */
export function localLinkOf({ server, is, opaqueId, fragment, isExposed }: GivenAddress, home: string): Shown {
  const { origin: serverId } = new URL(server)
  return {
    server,
    memory: keysIn(home, serverId),
    seenByPage: (json) => seenByPage(json, serverId),
    facts: async () => ({ shows: is, opaque_id: opaqueId, fragment, is_exposed: isExposed }),
    passes: isForLink({ is, opaqueId }),
  }
}

/** Of guests or receivers, for this one link or share; and what anybody may ask a server about itself. */
export function isForLink({ is, opaqueId }: Pick<GivenAddress, 'is' | 'opaqueId'>) {
  return ({ name, row, parameters }: AskedOperation): boolean => {
    if (row.tag === 'discovery' || name === 'version' || name === 'site') return true
    const isOfKind = row.auth === 'link' && row.tag === (is === 'link' ? 'guest' : 'shares')
    return isOfKind && parameters.opaque_id === opaqueId
  }
}

/** Of all that a page may remember, the keys of the server and its newest receipt: a guest has no account. */
function keysIn(home: string, serverId: string): Memory {
  return {
    read: async () => ({ version: 0, seen: null, revoked: [], pins: (await pinsOf(home, serverId)) ?? null }),
    async write({ pins }) {
      if (pins !== undefined) await pin(home, pins)
      return true
    },
  }
}
