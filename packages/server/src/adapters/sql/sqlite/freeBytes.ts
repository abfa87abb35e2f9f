import { dirname } from 'node:path'
import { freeBytesOf } from '../../../disk.ts'

/** How many bytes the disk of the file at `path` takes, from a user without privileges. */
export async function freeBytesBeside(path: string): Promise<number> {
  return await freeBytesOf(dirname(path))
}
