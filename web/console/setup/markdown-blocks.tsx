import { Fragment } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import type { Block, Inline } from './markdown.ts';

interface BlocksProps {
  readonly blocks: readonly Block[];
  /** Changes what stands in code, such as a name that is to be put in. */
  readonly inCode: (text: string) => string;
  /** Of the headings that are the page's own; those below are one less. */
  readonly topLevel: number;
  /** Says what a button copies. */
  readonly copyLabel: string;
}

/** A page of `docs/`: its code can be copied. */
export function MarkdownBlocks({ blocks, ...others }: BlocksProps) {
  return blocks.map((block, index) => <OneBlock key={index} block={block} {...others} />);
}

function OneBlock({ block, ...others }: Omit<BlocksProps, 'blocks'> & { readonly block: Block }) {
  const { inCode, copyLabel, topLevel } = others;
  switch (block.kind) {
    case 'heading':
      return block.level <= topLevel ? (
        <h2>
          <Words parts={block.parts} />
        </h2>
      ) : (
        <h3>
          <Words parts={block.parts} />
        </h3>
      );
    case 'paragraph':
      return (
        <p>
          <Words parts={block.parts} />
        </p>
      );
    case 'code': {
      const text = inCode(block.text);
      return (
        <div className="setup-code">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre tabIndex={0}>
            <code>{text}</code>
          </pre>
          <CopyButton text={text} label={copyLabel} />
        </div>
      );
    }
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <MarkdownBlocks blocks={item} {...others} />
        </li>
      ));
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <div className="setup-scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index} scope="col">
                    <Words parts={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      <Words parts={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

function Words({ parts }: { readonly parts: readonly Inline[] }) {
  return parts.map((part, index) => <Fragment key={index}>{wordOf(part)}</Fragment>);
}

function wordOf(part: Inline) {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return (
        <strong>
          <Words parts={part.parts} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Words parts={part.parts} />
        </em>
      );
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noreferrer">
          <Words parts={part.parts} />
        </a>
      );
  }
}
