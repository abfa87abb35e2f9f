/** What an account has several of: sign-ins, signing keys, passkeys. Each has a name of its owner, and an end. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Name } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { NameDialog } from '../dialogs/nameDialog.tsx'
import { accountTexts } from '../ground/texts.ts'

export interface NamedEntry {
  readonly id: string
  /** The owner's. */
  readonly name: string | undefined
  readonly nameFault: unknown
  /** What tells it from the others in the labels of its buttons, if it has no name. */
  readonly otherwise: string
  /** What stands in the place of a name; `otherwise` by default. */
  readonly nameless?: string
  readonly badges?: ComponentChildren
  readonly facts: string
  /** Absent if it cannot have another name. */
  readonly rename?: NewName | undefined
  readonly action: string
  readonly onAction: () => void
}

interface NewName {
  readonly title: string
  readonly save: (name: string) => Promise<void>
}

interface NamedListProps {
  readonly entries: readonly NamedEntry[]
  readonly isBusy?: boolean
  readonly onSaved: () => void
}

export function NamedList({ entries, isBusy, onSaved }: NamedListProps) {
  const [renamed, setRenamed] = useState<NewName & Pick<NamedEntry, 'name'>>()
  return (
    <>
      {entries.length > 0 && (
        <ul class="account-list">
          {entries.map((entry) => {
            const { id, name, rename } = entry
            const onRename = rename && (() => setRenamed({ ...rename, name }))
            return <Row key={id} entry={entry} isBusy={isBusy} onRename={onRename} />
          })}
        </ul>
      )}
      {renamed !== undefined && <NameDialog {...renamed} onClose={() => setRenamed(undefined)} onSaved={onSaved} />}
    </>
  )
}

interface RowProps {
  readonly entry: NamedEntry
  readonly isBusy: boolean | undefined
  readonly onRename: (() => void) | undefined
}

function Row({ entry, isBusy, onRename }: RowProps) {
  const { rename } = useText(accountTexts)
  const { name, nameFault, otherwise, nameless = otherwise, badges, facts, action, onAction } = entry
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <span>
          {name === undefined ? nameless : <Name>{name}</Name>}
          {badges}
        </span>
        {nameFault !== undefined && <span class="badge bad">{rename.fault}</span>}
        <span class="soft small">{facts}</span>
      </div>
      <div class="row">
        {onRename !== undefined && (
          <ListButton of={name ?? otherwise} disabled={isBusy} onClick={onRename}>
            {rename.button}
          </ListButton>
        )}
        <ListButton of={name ?? otherwise} disabled={isBusy} onClick={onAction}>
          {action}
        </ListButton>
      </div>
    </li>
  )
}

interface ListButtonProps {
  readonly children: string
  /** What the action is about, for those who do not see the row. */
  readonly of: string
  readonly busy?: boolean
  readonly disabled?: boolean | undefined
  readonly onClick: () => void
}

export function ListButton({ children, of, ...button }: ListButtonProps) {
  return (
    <Button kind="quiet" {...button}>
      {children}
      <span class="visually-hidden">: {of}</span>
    </Button>
  )
}
