/** Every kind of block that an answer may hold, for a look at how they are drawn. */
export const DEMO_MARKDOWN = `# What an answer may hold

Words can be **strong**, *soft*, ~~gone~~ or \`code\`, and a [link](https://example.org/one) opens beside this page. A bare https://example.org/two works too.

## Lists

- first, with a second level
  1. counted
  2. and counted on
     - and deeper
- last

- [x] looked around
- [ ] connected a model

## A table

| share | size | grew | where |
|:------|-----:|:----:|-------|
| media | 3.9 TB | **41 %** | [bin](https://example.org/bin) |
| photos | 412 GB | 0 % | https://example.org/photos |
| backups | 1.1 TB | 2 % | \`/tank/backups\` |

## Code

\`\`\`ts
// What is older than thirty days, and how much of it.
export function tooOld(files: readonly File[], nowMs: number): number {
  return files.filter((file) => nowMs - file.lastModified > 30 * 86_400_000).length
}
\`\`\`

\`\`\`diff
- recycle:maxsize = 0
+ recycle:maxsize = 500000
\`\`\`

## And more

> Nothing in it is a photo. I looked twice.

The area is $A = \\pi r^2$, and a sum is

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

שלום, זה טקסט מימין לשמאל with English in it.

---

<b>Raw HTML stays text.</b>
`
