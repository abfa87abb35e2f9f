/**
 * Makes the files of `vectors/` from fixed inputs, so that every run makes the same files.
 *   node tools/vectors.ts           writes them
 *   node tools/vectors.ts --check   fails when a committed file differs from what the code makes
 */
import { readFile, writeFile } from 'node:fs/promises'
import { argumentsOf } from './arguments.ts'
import { accountVectors } from './vectors/account.ts'
import { argon2idVectors } from './vectors/argon2id.ts'
import { capabilityVectors } from './vectors/capabilities.ts'
import { derivationVectors } from './vectors/derivations.ts'
import { emailVectors } from './vectors/emails.ts'
import { fragmentVectors } from './vectors/fragments.ts'
import { keyListVectors } from './vectors/keyLists.ts'
import { linkTitleVectors } from './vectors/linkTitles.ts'
import { manifestVectors } from './vectors/manifests.ts'
import { mlDsa65Vectors } from './vectors/mlDsa65.ts'
import { ownNameVectors } from './vectors/ownNames.ts'
import { passkeyVectors } from './vectors/passkeys.ts'
import { receiptVectors } from './vectors/receipts.ts'
import { recoveryWordsVectors } from './vectors/recoveryWords.ts'
import { sealedBlobVectors } from './vectors/sealedBlobs.ts'
import { shareVectors } from './vectors/shares.ts'
import { xWingVectors } from './vectors/xWing.ts'

const files = {
  'account.json': accountVectors,
  'argon2id.json': argon2idVectors,
  'capabilities.json': capabilityVectors,
  'derivations.json': derivationVectors,
  'emails.json': emailVectors,
  'fragments.json': fragmentVectors,
  'key-lists.json': keyListVectors,
  'link-titles.json': linkTitleVectors,
  'manifests.json': manifestVectors,
  'ml-dsa-65.json': mlDsa65Vectors,
  'own-names.json': ownNameVectors,
  'passkeys.json': passkeyVectors,
  'receipts.json': receiptVectors,
  'recovery-words.json': recoveryWordsVectors,
  'sealed-blobs.json': sealedBlobVectors,
  'shares.json': shareVectors,
  'xwing.json': xWingVectors,
} as const

async function committed(path: URL): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

const isCheck = argumentsOf('node tools/vectors.ts [--check]', { check: { type: 'boolean', default: false } }).values
  .check
for (const [name, make] of Object.entries(files)) {
  const path = new URL(`../vectors/${name}`, import.meta.url)
  const text = `${JSON.stringify(await make(), null, 1)}\n`
  if (!isCheck) {
    await writeFile(path, text)
    console.log(`${name}: ${text.length} bytes`)
  } else if ((await committed(path)) !== text) {
    console.error(`vectors/${name} differs from what the code makes; run: node tools/vectors.ts`)
    process.exitCode = 1
  }
}
