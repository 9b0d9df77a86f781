import ReactMarkdown from 'react-markdown';
import { CodeBlock } from '../code/code-block.js';

const safe = /^(?:https?:|mailto:)/i;

/**
 * Text of an agent or a person. It is untrusted: HTML is shown as text, and links of other schemes
 * have no address.
 */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown
        skipHtml={false}
        disallowedElements={['img']}
        unwrapDisallowed
        urlTransform={(url) => (safe.test(url) ? url : undefined)}
        components={{
          code: ({ className = '', children }) => {
            const name = /^language-(.+)$/.exec(className)?.[1];
            return name ? <CodeBlock name={name} text={String(children)} /> : <code>{children}</code>;
          },
          a: ({ href, children }) =>
            href === undefined ? (
              <span>{children}</span>
            ) : (
              <a href={href} target="_blank" rel="noreferrer noopener">
                {children}
              </a>
            ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
