import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetFacts } from '@blindkeep/client/owner'
import type { ChosenFile, UploadItem } from '../uploads/uploadItem.ts'
import { type AlbumContents, alreadyThere, withChosen } from './alreadyThere.ts'

const NOON = Date.parse('2026-06-01T12:00:00Z')
const fileOf = (name: string, size = 100, lastModified = NOON): ChosenFile => ({ name, size, lastModified })
const assetOf = (name: string, { size = 100, complete = true } = {}) =>
  ({ assetId: name, complete, envelope: { plaintext_size: size, key_mode: 'derived' } }) as unknown as AssetFacts
const itemOf = (phase: UploadItem['phase'], file: ChosenFile) => ({ id: file.name, ...file, phase }) as UploadItem

/** An album whose files are called as their assets, and were changed at noon. */
const albumOf = (assets: readonly AssetFacts[], others: Partial<AlbumContents> = {}): AlbumContents => ({
  assets: async () => assets,
  uploads: () => [],
  knownName: () => undefined,
  describe: async ({ assetId }) => ({ name: assetId, modifiedAt: '2026-06-01T12:00:00.000Z' }),
  held: async (asked) => new Set(asked.map(({ assetId }) => assetId)),
  ...others,
})

const namesOf = async (files: readonly ChosenFile[], album: AlbumContents) =>
  [...(await alreadyThere(files, album))].map(({ name }) => name)

describe('a chosen file is already in the album', () => {
  it('with its name, size and date, and not with another', async () => {
    const files = [fileOf('same'), fileOf('new'), fileOf('longer', 101), fileOf('edited', 100, NOON + 1)]
    assert.deepEqual(await namesOf(files, albumOf(['same', 'longer', 'edited'].map((name) => assetOf(name)))), ['same'])
  })

  it('only as a whole asset that a live device has signed, and that can be read', async () => {
    const files = ['begun', 'unsigned', 'away', 'signed'].map((name) => fileOf(name))
    const assets = files.map(({ name }) => assetOf(name, { complete: name !== 'begun' }))
    const describe: AlbumContents['describe'] = async ({ assetId: name }) => {
      if (`${name}` === 'away') throw new Error('the line is down')
      return `${name}` === 'unsigned' ? undefined : { name, modifiedAt: '2026-06-01T12:00:00.000Z' }
    }
    assert.deepEqual(await namesOf(files, albumOf(assets, { describe })), ['signed'])
  })

  it('when an upload has it, but not when a restored one waits for it', async () => {
    const [sent, missing] = [fileOf('sent'), fileOf('missing')]
    const uploads = () => [itemOf('sending', sent), itemOf('file_missing', missing)]
    assert.deepEqual(await namesOf([sent, missing], albumOf([assetOf('missing')], { uploads })), ['sent'])
    assert.deepEqual(await namesOf([fileOf('sent', 100, NOON + 1)], albumOf([], { uploads })), [])
  })

  it('not by an upload that has failed, nor by one that had ended before the album was read', async () => {
    const files = ['failed', 'deleted', 'ending'].map((name) => fileOf(name))
    const phases: UploadItem['phase'][] = ['failed', 'done', 'sending']
    const uploads = () => files.map((file, index) => itemOf(phases[index] ?? 'waiting', file))
    const assets = async () => {
      phases[2] = 'done'
      return []
    }
    assert.deepEqual(await namesOf(files, albumOf([], { uploads, assets })), ['ending'])
  })

  it('only if the server says that it has the whole file, and is asked about files alike alone', async () => {
    const asked: string[] = []
    const held: AlbumContents['held'] = async (assets) => {
      asked.push(...assets.map(({ assetId }) => assetId))
      return new Set(assets.map(({ assetId }) => assetId).filter((id) => `${id}` !== 'damaged'))
    }
    const files = ['held', 'damaged', 'edited'].map((name) => fileOf(name, 100, name === 'edited' ? NOON + 1 : NOON))
    const album = albumOf(
      files.map(({ name }) => assetOf(name)),
      { held },
    )
    assert.deepEqual(await namesOf(files, album), ['held'])
    assert.deepEqual(asked, ['held', 'damaged'])
  })

  it('without a request for assets of another size or of another known name', async () => {
    const read: string[] = []
    const album = albumOf([assetOf('same'), assetOf('large', { size: 200 }), assetOf('other')], {
      knownName: ({ assetId }) => (`${assetId}` === 'other' ? 'other' : undefined),
      describe: async ({ assetId }) => {
        read.push(assetId)
        return undefined
      },
    })
    await alreadyThere([fileOf('same')], album)
    assert.deepEqual(read, ['same'])
  })
})

describe('files that were left out', () => {
  it('are offered once if they are chosen again, and all of them if one choice has several alike', () => {
    const [one, other] = [fileOf('scan.pdf'), fileOf('scan.pdf')]
    const first = withChosen([fileOf('before'), fileOf('scan.pdf')], [one, other])
    assert.deepEqual(first, [fileOf('before'), one, other])
    assert.deepEqual(withChosen(first, first), first)
  })
})
