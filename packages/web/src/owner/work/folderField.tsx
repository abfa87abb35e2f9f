/** Into which folders many files are saved, by what their guests say. */
import {
  type FolderTemplate,
  foldersFor,
  parseFolderTemplate,
  type TemplateFile,
} from '@blindkeep/client/folderTemplate'
import { safePath } from '@blindkeep/client/safePath'
import { Button, Field, Name } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { workTexts } from '../ground/texts.ts'

/** What there is to make folders of. */
export interface FolderParts {
  readonly questions: readonly string[]
  /** One of the files, to show where it would go. */
  readonly example?: (TemplateFile & { readonly name: string | undefined }) | undefined
}

interface FolderFieldProps extends FolderParts {
  /** As typed; empty for no folders. */
  readonly template: string
  readonly onTemplate: (template: string) => void
}

const SENDER = 'sender'

export function FolderField({ questions, example, template, onTemplate }: FolderFieldProps) {
  const { saving: text } = useText(workTexts)
  const read = readTemplate(template)
  const parts = [
    // A brace ends a label.
    ...questions.filter((label) => label !== SENDER && !/[{}]/.test(label)).map((label) => [label, label] as const),
    [SENDER, text.sender] as const,
  ]
  return (
    <div class="stack tight">
      <Field label={text.into} hint={text.intoHint} fault={read === undefined ? text.intoFault : undefined}>
        {(input) => (
          <input
            {...input}
            value={template}
            maxLength={2000}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => onTemplate(event.currentTarget.value)}
          />
        )}
      </Field>
      <fieldset class="row">
        <legend class="visually-hidden">{text.parts}</legend>
        {parts.map(([part, words]) => (
          <Button key={part} kind="quiet" icon="add" onClick={() => onTemplate(withPart(template, part))}>
            <Name>{words}</Name>
          </Button>
        ))}
      </fieldset>
      {read?.template !== undefined && example !== undefined && (
        <p class="small">
          {text.intoExample} <Name>{pathOf(read.template, example)}</Name>
        </p>
      )}
    </div>
  )
}

/** Undefined for a text that is no template. Without a template: no folders. */
export function readTemplate(text: string): { readonly template: FolderTemplate | undefined } | undefined {
  if (text.trim() === '') return { template: undefined }
  try {
    return { template: parseFolderTemplate(text.trim()) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const withPart = (template: string, part: string) => `${template}${template.trim() === '' ? '' : '/'}{${part}}`

function pathOf(template: FolderTemplate, example: NonNullable<FolderParts['example']>): string {
  const { folders, name } = safePath(example.name, foldersFor(template, example))
  return [...folders, name].join('/')
}
