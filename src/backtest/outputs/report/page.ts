/** The page of a report: one style sheet, which is allowed by its hash, no scripts, and nothing that is loaded. */
import { createHash } from 'node:crypto'
import type { JobPlan } from '../../../domain/backtest.js'
import { bigintToString } from '../../../domain/primitives.js'
import { toPlanRecord } from '../../../wire/plan.js'
import { markerShapes } from './chart.js'
import { html, Markup } from './markup.js'
import { style } from './style.js'

export function pageOf({
  plan,
  what,
  facts,
  results,
  definitions,
}: {
  readonly plan: JobPlan
  /** What it is a report of, behind the name in the title. */
  readonly what: string
  readonly facts: Markup
  /** Null: there are none yet. */
  readonly results: Markup | null
  /** Words with their meaning, a line each. */
  readonly definitions: readonly (readonly [word: string, meaning: string])[]
}): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${plan.name} – ${what}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${markerShapes()}
<header><h1>${plan.name}</h1>${facts}</header>
<main>
${results ?? html`<p>No block has results yet.</p>`}
${planPart(plan)}
<section><h2>Definitions</h2><dl class="words">${definitions.map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>`)}</dl></section>
</main>
</body>
</html>
`
  return page.text
}

export function factList(entries: readonly (readonly [name: string, value: string])[]): Markup {
  return html`<dl class="facts">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

function planPart(plan: JobPlan): Markup {
  const json = JSON.stringify(toPlanRecord(plan), bigintToString, 2)
  return html`<section><h2>Plan</h2>
<details><summary>The whole plan as JSON</summary><pre tabindex="0"><code>${json}</code></pre></details></section>`
}
