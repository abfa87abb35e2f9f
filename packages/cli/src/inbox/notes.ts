/** A guest's words about a saved file, in a text file beside it: all that is left when the drop goes. */
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { DescribedDrop } from '@blindkeep/client/owner'
import { utf8 } from '@blindkeep/protocol/bytes'
import { codeOf } from '../ground/disk.ts'
import { shown } from '../ground/texts.ts'
import { saveAs, saveFile } from '../save/saveFile.ts'

const ENDING = '.blindkeep-note.txt'
/** Leaves room for the ending and a number in the longest name. */
const MAX_STEM_CHARACTERS = 50

/** Writes nothing if the guest says nothing, or if it is there already. Never replaces another file. */
export async function saveNote(path: string, drop: DescribedDrop): Promise<void> {
  const text = textOf(drop)
  if (text === undefined) return
  const bytes = utf8(text)
  const name = `${nameOf(path)}${ENDING}`
  const folder = dirname(path)
  const file = { id: `note-${drop.dropId}`, size: bytes.length, content: async () => new Blob([bytes]).stream() }
  try {
    await saveAs(`${folder}/${name}`, { ...file, replace: false })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    // An earlier process was killed after it had written it, or a guest has sent a file of this name.
    if (!(await hasText(`${folder}/${name}`, text))) await saveFile({ ...file, folder, name })
  }
}

/** What a guest has sent under this name may be a folder, or too large to be read. */
async function hasText(path: string, text: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true || found.size !== Buffer.byteLength(text)) return false
  return (await readFile(path, 'utf8')) === text
}

/** The whole name where it fits. */
function nameOf(path: string): string {
  const name = basename(path)
  return Buffer.byteLength(name + ENDING) <= 250 ? name : [...name].slice(0, MAX_STEM_CHARACTERS).join('')
}

function textOf({ file: { sender, note, fields = [] }, receivedAt }: DescribedDrop): string | undefined {
  if (sender === undefined && note === undefined && fields.length === 0) return undefined
  const lines = [
    'What the guest says about this file, unverified.',
    `Received: ${receivedAt}`,
    ...(sender === undefined ? [] : [`From: ${shown(sender)}`]),
    ...fields.map(([label, value]) => `Answer to ${shown(label)}: ${shown(value)}`),
    ...(note === undefined ? [] : ['', ...note.split(/\r?\n/).map(shown)]),
  ]
  return `${lines.join('\n')}\n`
}
