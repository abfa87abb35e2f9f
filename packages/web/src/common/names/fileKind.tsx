import { kindOf } from '@blindkeep/client/find'
import { fileEnding } from './fileEnding.ts'
import './fileKind.css'
import { Icon, type IconName } from '../controls/icons.tsx'

/** An icon and the file ending, in place of a thumbnail. Both come from the unverified name and type. */
export function FileKind({ name, type }: { readonly name: string | undefined; readonly type: string | undefined }) {
  const ending = fileEnding(name)
  return (
    <span class="file-kind" aria-hidden="true">
      <Icon name={iconOf({ name, type })} />
      {ending !== undefined && <span class="file-ending">{ending}</span>}
    </span>
  )
}

/** Only a hint: the sender chooses name and type. Programs and many browsers give no type. */
export function iconOf(file: Parameters<typeof kindOf>[0]): IconName {
  const kind = kindOf(file)
  if (kind === 'image') return 'image'
  return kind === 'video' ? 'play' : 'file'
}
