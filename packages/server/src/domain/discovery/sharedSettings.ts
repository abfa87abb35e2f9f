/**
 * Settings that must be the same on all nodes of a server. They are in the database, so that no node works by rules of
 * its own: the quota that one enforces is the quota of the server. The start of a server that has one node sets them; a
 * node among others must have the same, and only a command changes them.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import type { ReadTx, Store } from '../../ports/store.ts'

/** By variable. `null`: no value. */
export type SharedSettings = Readonly<Record<string, string | number | null>>

export class SettingsDiffer extends Error {
  override readonly name = 'SettingsDiffer'
}

/** For the start of a node. Throws `SettingsDiffer` if it is one of several, and the server has other values. */
export async function settleSettings(
  store: Store,
  given: SharedSettings,
  { isSole }: { readonly isSole: boolean },
): Promise<void> {
  await store.write(['server'], async (tx) => {
    const present = (await settledSettings(tx)) ?? {}
    const changes = isSole ? [] : changesOf(present, given).filter(({ from }) => from !== undefined)
    if (changes.length > 0) throw new SettingsDiffer(differText(changes))
    // Nodes of an older release know fewer settings.
    const settled = isSole ? given : { ...given, ...present }
    if (changesOf(present, settled).length > 0) await tx.server.setFact('settings', utf8(JSON.stringify(settled)))
  })
}

/** Replaces the server's values. Nodes that run keep theirs until they start again. */
export async function applySettings(store: Store, given: SharedSettings): Promise<readonly SettingChange[]> {
  return store.write(['server'], async (tx) => {
    const changes = changesOf((await settledSettings(tx)) ?? {}, given)
    if (changes.length > 0) await tx.server.setFact('settings', utf8(JSON.stringify(given)))
    return changes
  })
}

/** Undefined before the first start. */
export async function settledSettings(tx: ReadTx): Promise<SharedSettings | undefined> {
  const fact = await tx.server.fact('settings')
  return fact && JSON.parse(new TextDecoder().decode(fact))
}

export interface SettingChange {
  readonly name: string
  /** Undefined if the server did not know the setting. */
  readonly from: string | number | null | undefined
  readonly to: string | number | null
}

export function changesOf(present: SharedSettings, given: SharedSettings): readonly SettingChange[] {
  const all = Object.entries(given).map(([name, to]) => ({ name, from: present[name], to }))
  return all.filter(({ from, to }) => from !== to)
}

function differText(changes: readonly SettingChange[]): string {
  const each = changes.map(({ name, from, to }) => `${name} is ${from ?? 'unset'} there and ${to ?? 'unset'} here`)
  return `the settings that all nodes of this server share are others in its database: ${each.join('; ')}. Give this node the same, or change them for all: run \`blindkeep-server settings apply\` with the new settings, then start each node again with them.`
}
