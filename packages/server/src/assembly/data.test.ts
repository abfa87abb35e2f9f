import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openKeyring } from '../adapters/keyring/keyring.ts'
import type { S3Address } from '../adapters/s3/address.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { type Config, readConfig } from '../config/config.ts'
import { backUp } from '../domain/backup/backup.ts'
import { restore } from '../domain/backup/restore.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import { createQuota } from '../domain/quota/quota.ts'
import { putObject } from '../testing/putObject.ts'
import type { S3Server } from '../testing/s3/server.ts'
import { openDouble } from '../testing/s3/world.ts'
import { USE } from '../testing/serverUse.ts'
import { openBackupData, openRestoreData } from './backupData.ts'
import { openPresentData, openServerData } from './data.ts'

const PORTS = { clock: systemClock, random: systemRandom, onProgress: () => undefined }

describe('the data of a server', () => {
  it('is not opened after an interrupted restore', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
    try {
      const config = readConfig({ DATA_DIR: directory })
      assert.ok(!('faults' in config))
      await writeFile(join(directory, 'blindkeep.sqlite.restoring'), 'half')
      for (const _ of [1, 2]) await assert.rejects(openServerData(config, USE), /a restore into .* was interrupted/)
      assert.deepEqual(await readdir(directory), ['blindkeep.sqlite.restoring'])
      await rm(join(directory, 'blindkeep.sqlite.restoring'))
      await (await openServerData(config, USE)).close()
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('is not made new beside the objects of a lost database, nor where the settings say that there was a server', async () => {
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
    const configOf = (directory: string, more?: Readonly<Record<string, string>>) => {
      const config = readConfig({ DATA_DIR: join(root, directory), ...more })
      assert.ok(!('faults' in config))
      return config
    }
    try {
      const server = await openServerData(configOf('data'), USE)
      await putObject(server)
      await server.close()
      await (await openServerData(configOf('data', { FIRST_START: 'refused' }), USE)).close()
      for (const name of ['blindkeep.sqlite', 'server.lock']) await rm(join(root, 'data', name), { force: true })
      await mkdir(join(root, 'empty'))
      const before = await readdir(root, { recursive: true })
      const [lost, refused] = [/has objects of a server, .* Nothing was changed\.$/, /FIRST_START=refused says/]
      for (const [config, message] of [
        [configOf('data'), lost],
        [configOf('elsewhere', { BLOBS_URL: `file:${join(root, 'data', 'blobs')}` }), lost],
        [configOf('empty', { FIRST_START: 'refused' }), refused],
        [configOf('missing', { FIRST_START: 'refused' }), refused],
      ] as const)
        await assert.rejects(openServerData(config, USE), message)
      assert.deepEqual(await readdir(root, { recursive: true }), before)
      await (await openServerData(configOf('missing'), USE)).close()
      await writeFile(join(root, 'data', 'blindkeep.sqlite'), '')
      for (const [more, message] of [
        [{}, lost],
        [{ FIRST_START: 'refused' }, refused],
      ] as const)
        await assert.rejects(openServerData(configOf('data', more), USE), message)
    } finally {
      await rm(root, { recursive: true })
    }
  })

  it('is not opened when its bucket has the objects of another database', async () => {
    await withBucket(async ({ directory, s3, address, configOf }) => {
      // A bucket without objects may be taken over: a start may have ended before its database knew the id.
      for (const name of ['crashed', 'first']) await (await openServerData(configOf(name), USE)).close()
      const first = await openServerData(configOf('first'), USE)
      await putObject(first)
      await first.close()
      const before = await readdir(directory, { recursive: true })
      for (const _ of [1, 2])
        await assert.rejects(
          openServerData(configOf('other'), USE),
          /they belong to another server.*Nothing was changed/,
        )
      assert.deepEqual(await readdir(directory, { recursive: true }), before)
      const inBucket = configOf('other').blobs
      const ofOther = configOf('beside', { BLOBS_URL: `file:${join(directory, 'files')}` })
      await (await openServerData(ofOther, USE)).close()
      await assert.rejects(openPresentData({ ...ofOther, blobs: inBucket }), /they belong to another server/)
      await (await openServerData(configOf('first'), USE)).close()

      const { objects } = s3.store.buckets.get(address.bucket) ?? assert.fail()
      objects.delete(`${address.prefix}blindkeep-store`)
      await assert.rejects(openServerData(configOf('first'), USE), /^Error: [^<]* {4}store: [0-9a-f-]{36}\n/)
    })
  })

  it('is not created, and not touched, by a restore that is refused', async () => {
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
    const at = (name: string) => join(root, name)
    const configOf = (name: string, secret: string) => {
      const config = readConfig({ DATA_DIR: at(name), MASTER_SECRET_FILE: at(secret) })
      assert.ok(!('faults' in config))
      return config
    }
    const restoreTo = (name: string, secret: string) =>
      openRestoreData(configOf(name, secret), at('backup'), { isTrusted: false })
    try {
      for (const name of ['old', 'other']) {
        const server = await openServerData(configOf(name, `${name}-secret`), USE)
        await openServerKeys({ ...server, ...PORTS })
        await server.close()
      }
      await makeBackup(configOf('old', 'old-secret'), at('backup'))
      await mkdir(at('mine'))
      await writeFile(at('mine/notes'), 'mine')
      for (const name of ['new', 'mine']) {
        await assert.rejects(restoreTo(name, 'other-secret'), /does not vouch for the backup/)
        await assert.rejects(restoreTo(name, 'no-secret'), /there is no master secret/)
      }
      await assert.rejects(
        restoreTo('mine/notes/data', 'old-secret'),
        /the data directory .*data cannot be used.*DATA_DIR/,
      )
      await rm(at('other/server.lock'))
      const before = await readdir(at('other'), { recursive: true })
      await assert.rejects(restoreTo('other', 'old-secret'), /a restore replaces nothing/)
      await writeFile(at('backup/backup.json'), 'torn')
      for (const name of ['new', 'mine']) await assert.rejects(restoreTo(name, 'old-secret'), /not valid JSON/)
      await rm(at('backup/backup.json'))
      for (const name of ['new', 'mine']) await assert.rejects(restoreTo(name, 'old-secret'), /no finished backup/)
      assert.deepEqual(await readdir(at('other'), { recursive: true }), before)
      assert.deepEqual(await readdir(at('mine')), ['notes'])
      assert.equal(existsSync(at('new')), false)
    } finally {
      await rm(root, { recursive: true })
    }
  })

  it('is in no new directory after a backup that is refused', async () => {
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
    const at = (name: string) => join(root, name)
    const configOf = (secret: string) => {
      const config = readConfig({ DATA_DIR: at('data'), MASTER_SECRET_FILE: at(secret) })
      assert.ok(!('faults' in config))
      return config
    }
    try {
      const server = await openServerData(configOf('secret'), USE)
      await openServerKeys({ ...server, ...PORTS })
      await server.close()
      await openKeyring({ masterSecretFile: at('other-secret'), createIfMissing: true })
      await assert.rejects(makeBackup(configOf('other-secret'), at('backup')), /is not the one of the server/)
      const running = await openBackupData(configOf('secret'), at('backup'))
      await assert.rejects(makeBackup(configOf('secret'), at('backup')), /another backup of/)
      await running.close()
      assert.equal(existsSync(at('backup')), false)
    } finally {
      await rm(root, { recursive: true })
    }
  })

  it('belongs to the bucket that a restore brought its objects to', async () => {
    await withBucket(async ({ directory, configOf }) => {
      const oldConfig = configOf('old', { BLOBS_URL: `file:${join(directory, 'files')}` })
      const old = await openServerData(oldConfig, USE)
      await openServerKeys({ ...old, ...PORTS })
      await old.close()
      const backup = join(directory, 'backup')
      await makeBackup(oldConfig, backup)
      const restored = await openRestoreData(configOf('new'), backup, { isTrusted: false })
      await putObject(restored)
      const quota = createQuota({ softBytes: undefined, hardBytes: undefined, graceDays: 1 })
      await restore({ ...restored, ...PORTS, quota }, { isTrusted: false })
      await restored.close()
      await (await openServerData(configOf('new'), USE)).close()
      await assert.rejects(openServerData(configOf('other'), USE), /they belong to another server/)
    })
  })
})

async function makeBackup(config: Config, path: string): Promise<void> {
  const data = await openBackupData(config, path)
  await backUp({ ...data, ...PORTS, repeat: () => () => undefined }, { isChecked: false }).finally(data.close)
}

interface BucketWorld {
  readonly directory: string
  readonly s3: S3Server
  readonly address: S3Address
  /** Of a server with this bucket and a data directory of its own. */
  configOf(name: string, more?: Readonly<Record<string, string>>): Config
}

async function withBucket(work: (world: BucketWorld) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
  const { address, credentials, s3, close } = await openDouble()
  const { bucket, prefix, endpoint, region } = address
  try {
    await work({
      directory,
      s3,
      address,
      configOf(name, more) {
        const config = readConfig({
          DATA_DIR: join(directory, name),
          MASTER_SECRET_FILE: join(directory, 'master-secret'),
          BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}&pathStyle=true`,
          AWS_ACCESS_KEY_ID: credentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
          ...more,
        })
        assert.ok(!('faults' in config))
        return config
      },
    })
  } finally {
    await close()
    await rm(directory, { recursive: true })
  }
}
