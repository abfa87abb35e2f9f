import { Notice } from './controls.tsx'

interface ExposedNoticeProps {
  readonly text: { readonly title: string; readonly more: string }
}

/** Servers have seen the key of the page's address (`takeBackFragment.ts`). */
export function ExposedNotice({ text: { title, more } }: ExposedNoticeProps) {
  return (
    <Notice tone="warn">
      <h2>{title}</h2>
      <p>{more}</p>
    </Notice>
  )
}
