import { openPresentStore } from '../assembly/data.ts'
import { sharedSettingsIn } from '../config/config.ts'
import { applySettings, changesOf, settledSettings } from '../domain/discovery/sharedSettings.ts'
import type { Store } from '../ports/store.ts'
import { type Call, type Command, columns, type Outcome, withOpen } from './command.ts'

/** The settings that all nodes of a server share. The server may run. */
export const settingsCommands: readonly Command[] = [
  {
    name: 'settings show',
    summary: 'Shows the settings that all nodes of the server share, and where the environment differs.',
    run: (call) => withOpen(openPresentStore(call.config), (store) => show(store, call)),
  },
  {
    name: 'settings apply',
    summary: 'Replaces the settings that all nodes share by those of the environment.',
    details: [
      'Needed only with several nodes: a server with one node applies its settings when it starts. Afterwards start each node again with the new settings;',
      'a node with other ones does not start. Until then a running node keeps the old ones.',
    ],
    run: (call) => withOpen(openPresentStore(call.config), (store) => apply(store, call)),
  },
]

async function show(store: Store, { config }: Call): Promise<Outcome> {
  const settled = await store.read(settledSettings)
  if (settled === undefined) throw new Error('the server has not started yet, so it has no settings')
  const changes = changesOf(settled, sharedSettingsIn(config))
  const here = new Map(changes.map(({ name, to }) => [name, `here ${to ?? 'unset'}`]))
  const rows = Object.entries(settled).map(([name, value]) => [name, String(value ?? 'unset'), here.get(name) ?? ''])
  return { lines: columns(rows), json: { settings: settled, different_here: changes.map(({ name }) => name) } }
}

async function apply(store: Store, { config }: Call): Promise<Outcome> {
  const changes = await applySettings(store, sharedSettingsIn(config))
  const lines = changes.map(({ name, from, to }) => `${name}: ${from ?? 'unset'} → ${to ?? 'unset'}`)
  return {
    lines: lines.length === 0 ? ['Nothing changed.'] : [...lines, 'Now start each node again with these settings.'],
    json: { changes: changes.map(({ name, from, to }) => ({ name, from: from ?? null, to })) },
  }
}
