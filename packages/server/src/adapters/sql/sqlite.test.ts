import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { durableStoreContract, storeContract } from '../../ports/store.contract.ts'
import { openSqliteStore } from './sqlite.ts'

async function openInMemory() {
  const store = await openSqliteStore({ path: ':memory:' })
  return { store, close: () => store.close() }
}

async function openInFile() {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-sqlite-'))
  const path = join(directory, 'blindkeep.sqlite')
  let current = await openSqliteStore({ path })
  const reopen = async () => {
    await current.close()
    current = await openSqliteStore({ path })
    return current
  }
  const close = async () => {
    await current.close()
    rmSync(directory, { recursive: true })
  }
  return { store: current, reopen, close }
}

storeContract('SQLite in memory', openInMemory)
storeContract('SQLite in a file', openInFile)
durableStoreContract('SQLite in a file', openInFile)
