/** Each exported reader of other people's inputs has properties in a `*.decoders.test.ts`, or a reason here. */
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { describe, it } from 'node:test'

const PACKAGES = resolve(import.meta.dirname, '../..')
const READER = /^export (?:async )?(?:function\*?|const) ((?:parse|decode|open|read)[A-Z]\w*)/gmu

/** They send requests. Their readers stand below; tests with a malicious server change each answer. */
const CALLS = [
  'openAddress',
  'openAdoptions',
  'openAsset',
  'openAudit',
  'openDownload',
  'openDropPrefix',
  'openInbox',
  'openIncomplete',
  'openLink',
  'openOriginal',
  'openOwner',
  'openSaving',
  'openShare',
  'openShown',
  'readAsset',
  'readBlobRange',
  'readBlobStart',
  'readCatalog',
  'readMetadata',
  'readOwnAccount',
  'readProvenance',
  'readServerKeys',
  'readSignedAsset',
  'readThrough',
  'readWholeBlob',
]
/** Steps of readers that have properties: `decodeReceipt` and `decodeKeyChange`, `openSmall`. */
const STEPS = ['decodeFields', 'decodeSigned', 'openAccountKey']
/** They open what is the reader's own: a file, a form, a store, a dialog, a page, a program. */
const OWN = [
  'openChooser',
  'openFile',
  'openGo',
  'openGuestEngine',
  'openGuestStore',
  'openLocal',
  'openPages',
  'openPart',
  'openProfile',
  'openProgram',
  'openVault',
  'parseFolderTemplate',
  'readAsked',
  'readChange',
  'readDraft',
  'readPrivate',
  'readTemplate',
]

async function sourcesOf(pattern: string, isLeftOut = (_name: string) => false): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const path of glob(pattern, { cwd: PACKAGES, exclude: (path) => isLeftOut(basename(path)) }))
    texts.push(await readFile(resolve(PACKAGES, path), 'utf8'))
  return texts
}

describe('the readers of cli, client, protocol and web', () => {
  it('all have properties, or a reason why they need none', async () => {
    const sources = await sourcesOf('{cli,client,protocol,web}/src/**/*.{ts,tsx}', (name) => name === 'testing')
    const readers = new Set(sources.flatMap((source) => [...source.matchAll(READER)].map(([, name = '']) => name)))
    assert.ok(readers.size > 40, String(readers.size))
    const properties = (await sourcesOf('{cli,client,protocol,web}/src/**/*.decoders.test.ts')).join('\n')
    const without = [...readers].filter((name) => !new RegExp(`\\b${name}\\b`, 'u').test(properties))
    assert.deepEqual(without.toSorted(), [...CALLS, ...STEPS, ...OWN].toSorted())
  })
})
