/** Blindkeep's mark, the same as `mark.svg`. Inline: the first paint loads no image, and it is visible in the dark. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path class="mark-keep" d="M4 5h5v3h4V5h6v3h4V5h5v8l-2 2v13H6V15l-2-2z" />
      <path class="mark-eye" d="M10 18c3 3.4 9 3.4 12 0M11.5 20.6l-1 1.9M16 21.5v2.2M20.5 20.6l1 1.9" />
    </svg>
  )
}
