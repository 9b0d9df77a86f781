import { createHash } from 'node:crypto';

/** The only script of the page: hides what does not contain every word of the search. */
export const docsSearch = `
const box = document.querySelector('nav input');
const entries = [...document.querySelectorAll('article')].map((article) => ({
  article,
  link: document.querySelector('nav a[href="#' + article.id + '"]'),
  text: article.textContent.toLowerCase(),
}));
const groups = [...document.querySelectorAll('section.area, nav section')];
const search = () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const { article, link, text } of entries)
    article.hidden = link.hidden = !words.every((word) => text.includes(word));
  for (const group of groups) group.hidden = !group.querySelector('article:not([hidden]), a:not([hidden])');
};
box.hidden = false;
box.addEventListener('input', search);
search();
`;

/** For the page's content security policy, which allows this script and no other. */
export const docsSearchHash = `'sha256-${createHash('sha256').update(docsSearch).digest('base64')}'`;
