"""What a teacher hands out, made from the chapters: `python -m minigrad.book build`.

The chapters (notebooks/0N_*.ipynb, with their solutions) and their questions and exercises are the one
source; everything that is made here goes into a folder of its own, and is made again rather than edited.

    plan       what is asked for, and in which order; progress, the summary, and one line if it can't be
    lesson_folder  what a lesson needs in a room; lesson_card: its minutes on one page; class_sheets: a sheet
               for each learner in one file
    pages      a chapter's cells, and the lines of code that a question or a picture rests on
    students   a notebook for each learner; own_copies: the same for start.py
    nbgrader   pairs for those who grade with it, which minigrad.book.build.marking does
    sheets     what stands on a sheet of paper; tasks: its exercises; pictures: its picture, with numbers of
               its own; blanks: what a learner fills in there; keys: all its answers
    one_page   what a chapter says, for a room without computers; before_votes: its beginning, to read first
    page_of_measurements   how to measure a training script, and what each measurement shows
    writing    a sheet as markdown; lettering: code and quotation marks in it; fitting: it takes two pages
    pdf        a page of markdown as PDF
    slides     what a chapter shows and asks, to vote on; votes: its questions
    reader     the site: chapters, errors, symptoms, misconceptions and glossary, without a network
"""
