/** Files that come with the program: beside its code, or inside it if it is a single executable. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import * as sea from 'node:sea'
import { unlessMissing } from './disk.ts'

export interface Folder {
  /** Paths of the files below it, with `/`; none if it does not exist. */
  names(): Promise<readonly string[]>
  /** Throws if there is no such file. */
  read(name: string): Promise<Uint8Array>
}

/** Without Node and packages of its own, so also without native code. */
export function isSingleExecutable(): boolean {
  return sea.isSea()
}

/** `pages` or `lists` as they were packed with the program. */
export function ownFolder(name: 'pages' | 'lists'): Folder {
  return isSingleExecutable() ? folderInside(name) : folderAt(join(import.meta.dirname, name))
}

export function folderAt(directory: string): Folder {
  return {
    async names() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(unlessMissing)
      // Only files: a symbolic link could lead out of the directory.
      const files = (entries ?? []).filter((entry) => entry.isFile())
      return files.map((file) => relative(directory, join(file.parentPath, file.name)).replaceAll(sep, '/'))
    },
    read: (name) => readFile(join(directory, name)),
  }
}

function folderInside(folder: string): Folder {
  const prefix = `${folder}/`
  const keys = sea.getAssetKeys().filter((key) => key.startsWith(prefix))
  return {
    names: async () => keys.map((key) => key.slice(prefix.length)),
    read: async (name) => new Uint8Array(sea.getRawAsset(`${prefix}${name}`)),
  }
}
